"""Confluence's pages, comments and files as documents."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.connectors.attachments import Content
from core.connectors.base import fingerprint
from core.connectors.confluence_listing import Tree, attachment_id, comment_id, document_id
from core.connectors.confluence_records import Attachment, Comment, Page
from core.parsing.markdown import join, quote
from core.parsing.parsed import Parsed
from core.types import Document

_OPEN = frozenset({"open", "reopened"})


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a page stands, and who may read it: what its comments and files share with it."""

    source: str
    page: Page
    context: str
    labels: frozenset[str]
    attributes: Mapping[str, str]


def setting(source: str, page: Page, tree: Tree, labels: frozenset[str]) -> Setting:
    space = tree.spaces[page.space]
    above = [ancestor.title for ancestor in tree.above(page)[0]]
    attributes = {"space": space.key, "archived": "true" if page.archived else "false", "title": page.title}
    attributes |= {"parent": above[-1]} if above else {}
    return Setting(source, page, " > ".join([space.name, *above, page.title]), labels, attributes)


def of_page(at: Setting, parsed: Parsed, author: str) -> Document:
    page = at.page
    tags = ", ".join(sorted(page.labels))
    attributes = {**at.attributes, "author": author, "version": page.version, **({"labels": tags} if tags else {})}
    text = join([parsed.text, f"Labels: {tags}" if tags else ""])
    return Document(
        id=document_id(page.id),
        source=at.source,
        kind="page",
        version=_version(page.title, text, at.context, attributes),
        title=page.title,
        text=text,
        context=at.context,
        url=page.address,
        labels=at.labels,
        updated=page.updated,
        created=page.created,
        keys=frozenset({page.title, page.id}),
        unread=parsed.unread,
        attributes=attributes,
    )


def of_comment(at: Setting, comment: Comment, parsed: Parsed, author: str) -> Document:
    title, context = comment_title(at.page), f"{at.context} > comment"
    state = _state(comment)
    text = said(comment, parsed)
    attributes = {**at.attributes, "author": author, **({"resolution": state} if state else {})}
    return Document(
        id=comment_id(comment),
        source=at.source,
        kind="comment",
        version=_version(title, text, context, attributes),
        title=title,
        text=text,
        context=context,
        url=comment.address,
        labels=at.labels,
        updated=comment.updated,
        unread=parsed.unread,
        attributes=attributes,
    )


def comment_title(page: Page) -> str:
    return f"Comment on {page.title}"


def said(comment: Comment, parsed: Parsed) -> str:
    """What a comment says; first, what it is about."""
    about = f"On this text of the page ({_state(comment) or 'open'}):" if comment.inline else ""
    return join([about, quote(comment.marked) if comment.marked else "", parsed.text])


def is_open(comment: Comment) -> bool:
    """Whether a comment's thread still stands: one at the foot of a page always does."""
    return _state(comment) in {"", "open"}


def _state(comment: Comment) -> str:
    return "open" if comment.state in _OPEN else comment.state


def about_file(at: Setting, author: str) -> tuple[str, Mapping[str, str]]:
    """The context and the attributes of a page's file."""
    return f"{at.context} > attachment", {**at.attributes, "author": author}


def of_file(at: Setting, file: Attachment, content: Content, site: str, author: str) -> Document:
    context, attributes = about_file(at, author)
    parsed = content.parsed or Parsed("")
    path = file.download.partition("?")[0]
    return Document(
        id=attachment_id(file),
        source=at.source,
        kind="attachment",
        version=content.version,
        title=file.title,
        text=parsed.text,
        context=f"{context} {file.title}",
        url=f"{site}{path}" if path.startswith("/") else at.page.address,
        labels=at.labels,
        updated=file.updated,
        created=file.created,
        keys=frozenset({file.title}),
        places=parsed.places,
        unread=parsed.unread,
        as_indexed=content.parsed is None,
        attributes=attributes,
    )


def about(context: str, attributes: Mapping[str, str]) -> str:
    """What of a document beside its text enters its version."""
    return fingerprint(context, *sorted(map("=".join, attributes.items())))


def _version(title: str, text: str, context: str, attributes: Mapping[str, str]) -> str:
    return fingerprint(title, text, about(context, attributes))
