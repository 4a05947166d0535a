"""What people wrote beside the content: review comments on slides and in cells, old style and threaded."""

from collections.abc import Iterator, Mapping

from core.parsing import markdown
from core.parsing.office.drawingml import plain
from core.parsing.office.package import Element, Package, Relation, local


def slide_comments(package: Package, relations: Mapping[str, Relation], names: Mapping[str, str]) -> list[str]:
    """A line for each comment and reply on a slide, from the slide's relations. Raises PartUnreadable."""
    lines = []
    for relation in relations.values():
        if relation.kind == "comments" and not relation.external:
            for comment in package.xml(relation.target).iter("{*}cm", "{*}reply"):
                body = comment.find("{*}txBody")
                text = plain(body) if body is not None else markdown.one_line(comment.findtext("{*}text") or "")
                what = "Reply" if local(comment) == "reply" else "Comment"
                lines.append(_said(what, names.get(comment.get("authorId", ""), ""), text))
    return [line for line in lines if line]


def people(package: Package) -> dict[str, str]:
    """Display names by the ids that comments use, from whatever lists of people the main part points at. Raises
    PartUnreadable.
    """
    lists = [one.target for one in package.relations(package.main).values() if one.kind in _PEOPLE and not one.external]
    found = (person for part in lists for person in package.xml(part))
    return {person.get("id", ""): person.get("name") or person.get("displayName") or "" for person in found}


_PEOPLE = frozenset({"commentAuthors", "authors", "person"})


def cell_comments(package: Package, sheet: str, names: Mapping[str, str]) -> dict[str, str]:
    """By cell (`B2`), each as `comment: text`; several are joined. Raises PartUnreadable."""
    relations = [one for one in package.relations(sheet).values() if not one.external]
    notes = {
        cell: text for one in relations if one.kind == "comments" for cell, text in _notes(package.xml(one.target))
    }
    threads: dict[str, list[str]] = {}
    for one in relations:
        if one.kind == "threadedComment":
            for comment in package.xml(one.target).iterfind("{*}threadedComment"):
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
