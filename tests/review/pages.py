"""Builders for pages that are reviewed, beside those for tickets in `cases`."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.tickets import AttachedFile, Change, Comment, RemoteLink, Ticket
from core.types import Locator
from tests.review.cases import LABELS, NOW, START, person, talk

KEY = "confluence:500"
URL = "https://pages.example/spaces/SPEC/pages/500/Sign-in"


def spec(
    title: str = "Sign in",
    text: str = "",
    *,
    comments: Iterable[Comment] = (),
    history: Iterable[Change] = (),
    remote_links: Iterable[RemoteLink] = (),
    files: Iterable[AttachedFile] = (),
    unread: tuple[str, ...] = (),
) -> Ticket:
    return Ticket(
        id="500",
        key=KEY,
        project="SPEC",
        summary=title,
        description=text,
        type="page",
        status="current",
        done=False,
        resolution=None,
        reporter=person("Rae"),
        assignee=None,
        created=START,
        updated=NOW,
        labels=LABELS,
        locator=Locator(KEY, title, URL),
        comments=tuple(comments),
        history=tuple(history),
        remote_links=tuple(remote_links),
        files=tuple(files),
        unread=unread,
        kind="page",
        version="7",
    )


def remarks(*lines: str, marked: str = "") -> tuple[Comment, ...]:
    """As `talk`, on the page: comments of a page have its space's ids."""
    return tuple(on_page(one, number, marked) for number, one in enumerate(talk(*lines), 1))


def on_page(comment: Comment, number: int, marked: str = "") -> Comment:
    identity = f"{KEY}:comment:{number}"
    return replace(
        comment,
        id=str(number),
        locator=Locator(identity, "Comment on Sign in", f"{URL}?focusedCommentId={number}"),
        marked=marked,
    )


def told(parts: Sequence[object]) -> str:
    """All texts of findings, unknowns and settled points, one a line."""
    names = ("statement", "why", "question", "what", "settled_by")
    return "\n".join(getattr(part, name) for part in parts for name in names if hasattr(part, name))
