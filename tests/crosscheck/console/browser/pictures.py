"""The pictures of the documentation: `python -m tests.crosscheck.console.browser.pictures`."""

import tempfile
from pathlib import Path

from tests.crosscheck.console.browser.chromium import Person, person
from tests.crosscheck.console.browser.company import console
from tests.crosscheck.console.browser.test_pages import MAP, SEARCH, story

FOLDER = Path(__file__).resolve().parents[4] / "docs" / "screenshots"
LARGEST = 150_000  # bytes
_TALL = {"job": 1500, "search": 1180}


def take(somebody: Person, folder: Path) -> None:
    """Each page in light and dark."""
    folder.mkdir(parents=True, exist_ok=True)
    for light, dark in (("light", False), ("dark", True)):
        somebody.light(dark=dark)
        for name, path in (("overview", "/"), ("job", ""), ("search", SEARCH), ("map", MAP)):
            somebody.open(path) if path else story(somebody)
            file = folder / f"console-{name}-{light}.png"
            somebody.picture(file, tallest=_TALL.get(name, 1300))
            if file.stat().st_size > LARGEST:
                raise SystemExit(f"{file} has {file.stat().st_size} bytes; at most {LARGEST} are wanted.")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home, console(Path(home)) as opened, person(opened.url) as somebody:
        somebody.log_in(opened.token)
        take(somebody, FOLDER)
