"""What people wrote beside the content: review comments on slides and in cells, old style and threaded."""

from collections.abc import Iterator, Mapping

from core.parsing import markdown
from core.parsing.office.drawingml import plain
from core.parsing.office.errors import PartUnreadable
from core.parsing.office.package import Element, Part, local, related, xml


def slide_comments(slide: Part, names: Mapping[str, str]) -> list[str]:
    """A line for each comment and reply on a slide. Raises PartUnreadable."""
    lines = []
    for part in related(slide, "comments"):
        for comment in xml(part).iter("{*}cm", "{*}reply"):
            body = comment.find("{*}txBody")
            text = plain(body) if body is not None else markdown.one_line(comment.findtext("{*}text") or "")
            what = "Reply" if local(comment) == "reply" else "Comment"
            lines.append(_said(what, names.get(comment.get("authorId", ""), ""), text))
    return [line for line in lines if line]


def people(main: Part) -> dict[str, str]:
    """Display names by the ids that comments use, from whatever lists of people the main part points at."""
    try:
        found = [person for part in related(main, "commentAuthors", "authors", "person") for person in xml(part)]
    except PartUnreadable:
        return {}  # the comments still stand, without names
    return {person.get("id", ""): person.get("name") or person.get("displayName") or "" for person in found}


def cell_comments(sheet: Part, names: Mapping[str, str]) -> dict[str, str]:
    """By cell (`B2`), each as `comment: text`; several are joined. Raises PartUnreadable."""
    notes = {cell: text for part in related(sheet, "comments") for cell, text in _notes(xml(part))}
    threads: dict[str, list[str]] = {}
    for part in related(sheet, "threadedComment"):
        for comment in xml(part).iterfind("{*}threadedComment"):
            what = "reply" if comment.get("parentId") else "comment"
            text = markdown.one_line(comment.findtext("{*}text") or "")
            said = _said(what, names.get(comment.get("personId", ""), ""), text)
            threads.setdefault(comment.get("ref", ""), []).append(said)
    # A thread is also kept as a note, for programs that know no threads.
    return {**notes, **{cell: "; ".join(said) for cell, said in threads.items()}}


def _notes(root: Element) -> Iterator[tuple[str, str]]:
    for comment in root.iterfind("{*}commentList/{*}comment"):
        text = "".join(piece.text or "" for piece in comment.iterfind("{*}text//{*}t"))
        if text.strip():
            yield comment.get("ref", ""), f"comment: {markdown.one_line(text)}"


def _said(what: str, name: str, text: str) -> str:
    return f"{what} by {name}: {text}" if text and name else f"{what}: {text}" if text else ""
