"""A map's files, written where the person is who asked for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosscheck.map_page import page
from crosscheck.map_picture import picture
from crosscheck.map_projection import check_installed


@dataclass(frozen=True, slots=True)
class MapReport:
    """What was written, and how many passages it shows of how many."""

    page: Path
    picture: Path
    drawn: int
    total: int


def write(data: Mapping[str, Any], out: Path) -> MapReport:
    """Write `map_data`'s data as a web page and as a picture beside it: OUT.html and OUT.png, whichever of the two
    `out` names, or neither. CrosscheckError if packages are missing; OSError.
    """
    check_installed()
    base = out.with_suffix("") if out.suffix.lower() in {".html", ".png"} else out
    written = MapReport(
        base.with_name(f"{base.name}.html"), base.with_name(f"{base.name}.png"), len(data["points"]), data["total"]
    )
    drawn = picture(data)
    written.page.write_text(page(data), "utf-8", newline="\n")
    written.picture.write_bytes(drawn)
    return written
