"""Tables of the documentation that are made from tests."""

from pathlib import Path


def rewrite(page: Path, begin: str, end: str, table: str) -> None:
    """Put the table between the two marks of the page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}{table}{end}{after}", encoding="utf-8")
