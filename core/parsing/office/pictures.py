"""The bitmaps within an Office file."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from core.parsing.formats import media_type
from core.parsing.markdown import clean, one_line
from core.parsing.office.errors import PartUnreadable
from core.parsing.office.package import Element, Package, Relation, related
from core.parsing.parsed import Picture

MAX_PICTURES = 300
MAX_BYTES = 60_000_000
"""Of all pictures of a file together."""

# Formats that their first bytes do not tell apart from others.
_BY_NAME = {
    ".wmf": "image/x-wmf", ".emf": "image/x-emf", ".svg": "image/svg+xml", ".wdp": "image/vnd.ms-photo",
}  # fmt: skip


class Pictures:
    """Collects each picture once, and says what stands for it in the text."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._marks: dict[str, str] = {}
        self._room = MAX_BYTES
        self.found: list[Picture] = []
        self.unread: list[str] = []

    def text(self, holder: Element, relations: Mapping[str, Relation], where: str, alt: str) -> str:
        """The mark of the picture that an element shows, with its alternative text. `where` is `on slide 3`."""
        blip = next(holder.iter("{*}blip", "{*}imagedata"), None)
        reference = "" if blip is None else related(blip, "embed") or related(blip, "id") or related(blip, "link")
        said = f"[picture: {alt}]" if (alt := one_line(alt)) else ""
        relation = relations.get(reference)
        if relation is None or relation.external:
            name = PurePosixPath(relation.target).name if relation else "it is missing"
            mark = self._lost(f"{name} {where}" if relation else f"{alt or 'picture'} {where}: {name}")
        elif (known := self._marks.get(relation.target)) is not None:
            mark = known
        else:
            mark = self._collect(relation.target, where)
            name = PurePosixPath(relation.target).name
            self._marks[relation.target] = f"[picture: {name} again]"
        return " ".join(part for part in (said, mark) if part)

    def _collect(self, part: str, where: str) -> str:
        name = clean(f"{PurePosixPath(part).name} {where}".strip())
        try:
            data = self._package.binary(part)
        except PartUnreadable as error:
            return self._lost(f"{name}: {error}")
        kind = media_type(data) or _BY_NAME.get(PurePosixPath(part).suffix.lower())
        if kind is None:
            return self._lost(f"{name}: it is damaged")
        if len(self.found) >= MAX_PICTURES or len(data) > self._room:
            return self._lost(f"{name}: there are too many")
        self._room -= len(data)
        mark = f"[picture not read: {name}]"
        self.found.append(Picture(name, kind, data, mark))
        return mark

    def _lost(self, what: str) -> str:
        what = clean(f"picture not read: {what}")
        self.unread.append(what)
        return f"[{what}]"
