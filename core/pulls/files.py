"""The files that a pull request changes, and what of them was not examined."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Literal

from core.mirror import LARGEST, Difference, Entry, Mirror, is_path, shown
from core.mirror.pointers import LONGEST, pointed_size
from core.parsing.markdown import clean
from core.pulls.types import Change, ChangedFile, Gap
from core.pulls.wording import counted, listed, named, short

_CHANGES: dict[str, Change] = {"A": "added", "D": "removed", "R": "renamed"}
Special = Literal["", "binary", "submodule", "link", "lfs"]
_UNREAD = (
    ("binary", "is not text and was not examined", "Somebody who opens these files."),
    ("large", "is too large to be compared and was not examined", "Somebody who compares these files."),
    ("lfs", "is kept apart (Git LFS) and was not examined", "Somebody who opens these files where they are kept."),
)
_EACH = 10  # submodules and links that are told of one by one
_LONGEST_TARGET = 4_096  # bytes of a link's target


def changed_files(mirror: Mirror, differences: Sequence[Difference]) -> tuple[ChangedFile, ...]:
    """In the order of their paths."""
    sized = [one for one in differences if not one.submodule and one.blobs[1]]
    sizes = dict(zip((one.path for one in sized), mirror.sizes([_blob(one) for one in sized]), strict=True))
    small = [one for one in sized if not one.link and sizes[one.path] <= LONGEST]
    contents = mirror.blobs(Entry(one.path, _blob(one), sizes[one.path]) for one in small)
    pointers = {one.path for one, content in zip(small, contents, strict=True) if pointed_size(content) is not None}
    return tuple(_changed(one, sizes.get(one.path, 0), is_pointer=one.path in pointers) for one in differences)


def _blob(one: Difference) -> str:
    return one.blobs[1] or ""


def _changed(one: Difference, size: int, *, is_pointer: bool) -> ChangedFile:
    special = _special(one, is_pointer=is_pointer)
    same = one.blobs[0] == one.blobs[1]
    return ChangedFile(
        path=shown(one.path),
        change="mode" if same and one.status == "M" else _CHANGES.get(one.status, "modified"),
        before=None if one.before is None else shown(one.before),
        added=None if special else one.added,
        removed=None if special else one.removed,
        size=size,
        special=special,
    )


def _special(one: Difference, *, is_pointer: bool) -> Special:
    if one.submodule:
        return "submodule"
    if one.link:
        return "link"
    if is_pointer:
        return "lfs"
    return "binary" if one.added is None else ""


def kind_of(file: ChangedFile) -> str:
    """`special`, but `large` for what is not compared line by line for its size."""
    return "large" if file.special == "binary" and file.size >= LARGEST else file.special


def told(
    mirror: Mirror, differences: Sequence[Difference], files: Sequence[ChangedFile]
) -> tuple[list[str], list[Gap]]:
    """What there is to say of files that are not simply text with changed lines. Both are of the same files."""
    same = {file.path for one, file in zip(differences, files, strict=True) if one.blobs[0] == one.blobs[1]}
    renamed = [file.path for file in files if file.change == "renamed" and file.path in same]
    modes = [file.path for file in files if file.change == "mode"]
    says = []
    if renamed:
        says.append(f"{counted(len(renamed), 'file')} only got another name: {listed(renamed)}.")
    if modes:
        says.append(f"Of {counted(len(modes), 'file')} only the permissions changed: {listed(modes)}.")
    gaps = []
    for kind, why, settled_by in _UNREAD:
        if paths := [file.path for file in files if kind_of(file) == kind and file.path not in same]:
            gaps.append(Gap(f"The content of {counted(len(paths), 'file')} {why}: {listed(paths)}.", settled_by))
    if outside := [one.path for one in differences if not is_path(one.path)]:
        what = f"{counted(len(outside), 'file')} with a name that leads out of the repository was not examined: "
        gaps.append(Gap(f"{what}{listed(outside)}.", "Its author, who can say how it came to be."))
    pointing = [one for one in differences if one.submodule or (one.link and one.status != "D")]
    for one in pointing[:_EACH]:
        if one.submodule:
            gaps.append(_submodule(one))
        else:
            says_link, gap = _link(mirror, one)
            says.append(says_link)
            gaps += gap
    if (more := len(pointing) - _EACH) > 0:
        what = f"Where {counted(more, 'more submodule or symbolic link')} point to was not examined."
        gaps.append(Gap(what, "Somebody who looks at them."))
    return says, gaps


def _link(mirror: Mirror, one: Difference) -> tuple[str, list[Gap]]:
    target = clean(mirror.content(_blob(one), _LONGEST_TARGET).decode("utf-8", "replace"))
    says = f"{named(one.path)} is a symbolic link to {named(target)}. It was not followed."
    if not leads_out(one.path, target):
        return says, []
    what = f"{named(one.path)} points to {named(target)}, outside of the repository, which was not examined."
    return says, [Gap(what, "Its author, who can say what it is for.")]


def leads_out(path: str, target: str) -> bool:
    """Whether a link's target lies outside of the tree that the link is in."""
    if target.startswith("/"):
        return True
    depth = 0
    for part in (*PurePosixPath(path).parts[:-1], *target.split("/")):
        depth += 0 if part in {"", "."} else -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


def _submodule(one: Difference) -> Gap:
    before, after = one.blobs
    how = (
        f"was added at commit {short(after or '')}" if before is None
        else "was removed" if after is None
        else f"was moved from commit {short(before)} to {short(after)}"
    )  # fmt: skip
    what = f"The submodule {named(one.path)} {how}. What that changes was not examined, for it is another repository."
    return Gap(what, "The pull requests of that repository.")
