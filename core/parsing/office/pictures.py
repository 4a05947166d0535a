"""The bitmaps within an Office file."""

from pathlib import PurePosixPath

from core.parsing.formats import media_type
from core.parsing.markdown import clean, one_line
from core.parsing.office.package import Element, Part, reference, unread
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

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}
        self._room = MAX_BYTES
        self.found: list[Picture] = []
        self.unread: list[str] = []

    def text(self, holder: Element, part: Part, where: str, alt: str) -> str:
        """The mark of the picture that an element shows, with its alternative text. `where` is `on slide 3`."""
        alt = one_line(alt)
        blip = next(holder.iter("{*}blip", "{*}imagedata"), None)
        found = "" if blip is None else reference(blip, "embed") or reference(blip, "id") or reference(blip, "link")
        relation = part.rels.get(found)
        if relation is None:
            mark = self._lost(f"{alt or 'picture'} {where}".rstrip() + ": it is missing")
        elif relation.is_external:
            name = f"{PurePosixPath(relation.target_ref).name} {where}".rstrip()
            mark = self._lost(f"{name}: {reason}" if (reason := unread(relation)) else name)
        else:
            mark = self._mark(relation.target_part, where)
        return f"[picture: {alt}] {mark}" if alt else mark

    def _mark(self, image: Part, where: str) -> str:
        path = PurePosixPath(image.partname)
        if image.partname in self._marks:
            return self._marks[image.partname]
        self._marks[image.partname] = f"[picture: {path.name} again]"
        name = clean(f"{path.name} {where}".strip())
        kind = media_type(image.blob) or _BY_NAME.get(path.suffix.lower())
        if kind is None:
            return self._lost(f"{name}: it is damaged")
        if len(self.found) >= MAX_PICTURES or len(image.blob) > self._room:
            return self._lost(f"{name}: there are too many")
        self._room -= len(image.blob)
        self.found.append(Picture(name, kind, image.blob, f"[picture not read: {name}]"))
        return self.found[-1].mark

    def _lost(self, what: str) -> str:
        what = clean(f"picture not read: {what}")
        self.unread.append(what)
        return f"[{what}]"
