"""The sandbox's company with things that came before, during and after the work on one of its tickets."""

import re
import shutil
from pathlib import Path

from sandbox import load
from sandbox.records import Company

BASE = Path(load.__file__).parent / "company"
KEY = "BKG-97"
"""Its first commit is of 26 May 2026, 16:15."""
WORDS = "the password was reset and the account stays locked"


def company(folder: Path) -> Company:
    shutil.copytree(BASE, folder)
    _page(folder, "9001", "Locked accounts", ("2026-05-20", f"Known: {KEY}, {WORDS}."))
    _page(folder, "9002", "Sign-in of passengers", ("2026-05-02", "How passengers sign in, and what locks them out."))
    _page(folder, "9003", "Linked while it was built", ("2026-05-03", "What a reset link looks like."))
    _page(folder, "9004", "Written afterwards", ("2026-06-10", f"After {KEY}: {WORDS}, and now it does not."))
    _page(folder, "9005", "Changed afterwards", ("2026-05-04", "Nothing."), ("2026-07-01", f"See {KEY}: {WORDS}."))
    _ticket(folder)
    _commit(folder, "12b", "2026-05-26T17:00:00Z", f"{KEY} A module of its own", "src/booking/unlocking.py")
    _commit(folder, "15b", "2026-07-02T09:00:00Z", f"Mend it: {WORDS}", "src/booking/later.py")
    return load.load_company(folder)


def _page(folder: Path, number: str, title: str, *versions: tuple[str, str]) -> None:
    text = f'id = "{number}"\nspace = "ENG"\ntitle = "{title}"\nparent = "7101"\n'
    for day, words in versions:
        text += f'\n[[versions]]\nat = {day}T08:00:00Z\nby = "Luca Ferretti"\ntext = "{words}"\n'
    (folder / "pages" / f"{number}.toml").write_text(text, "utf-8")


def _ticket(folder: Path) -> None:
    """Its description named one page before the work began, and names another since; so does its title."""
    path = folder / "tickets" / f"{KEY}.toml"
    text = path.read_text("utf-8")
    before = (
        "See https://skerryline.example/wiki/spaces/ENG/pages/9002/Sign-in, after a reset the account must be open."
    )
    now = "After a reset the account must be open. Solved by zeroing the counter, see [the link](page:9003)."
    text = re.sub(r"description = '''.*?'''", f'description = "{now}"', text, flags=re.DOTALL)
    changes = (("description", before), ("summary", "Locked although the password is new"))
    for name, value in changes:
        text += f'\n[[history]]\nat = 2026-05-27T09:00:00Z\nby = "Priya Raman"\nfield = "{name}"\nbefore = "{value}"\n'
    path.write_text(text, "utf-8")


def _commit(folder: Path, name: str, at: str, message: str, path: str) -> None:
    content = f'"""{WORDS}"""\n'
    (folder / "repos" / "booking-api" / f"{name}.toml").write_text(
        f"by = \"Priya Raman\"\nat = {at}\nmessage = \"{message}\"\n\n[files]\n\"{path}\" = '''\n{content}'''\n",
        "utf-8",
    )
