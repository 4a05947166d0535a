"""A small installation without any server: a folder of documents, a repository, and commands over both."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from crosscheck.wiring import Program

PAGES: Mapping[str, str] = {
    "locking.md": "# Locking\n\nAn account is locked after five failed sign-in attempts.\n",
    "refunds.md": "# Refunds\n\nA refund is paid within ten days by the payments team.\n",
    "seats.md": "".join(
        f"# Seats in row {n}\n\n" + f"A seat in row {n} is kept for passengers of group {n}.\n" * 40 for n in range(6)
    ),
}
CODE: Mapping[str, str] = {
    "src/lock.py": "LIMIT = 5\n\n\ndef is_locked(failures):\n    return failures >= LIMIT\n",
    "src/lock.go": "package lock\n\nfunc IsLocked(failures int) bool {\n\treturn failures >= 5\n}\n",
}
AUDIENCE = '[audience.holders]\norg = ["files:handbook", "repo:backend"]\n'


def written(folder: Path, more: str = "") -> Path:
    """The settings file; what it names is made beside it."""
    _files(folder / "handbook", PAGES)
    if not (folder / "backend").exists():
        _files(folder / "backend", CODE)
        git = ("git", "-C", str(folder / "backend"), "-c", "user.name=a", "-c", "user.email=a@example.com")
        for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "Lock accounts")):
            subprocess.run([*git, *words], check=True)
    file = folder / "crosscheck.toml"
    sources = '[[files]]\nname = "handbook"\nlocation = "handbook"\n[[git]]\nname = "backend"\nlocation = "backend"\n'
    file.write_text(f'data = "data"\n[serve]\nport = 0\n{sources}{AUDIENCE}{more}', "utf-8")
    return file


def filled(program: Program, said: Callable[[object], None] = lambda _message: None) -> None:
    """Every source read in full."""
    for name in program.sources.names([]):
        program.sources.sync(name, True, said)


def _files(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
