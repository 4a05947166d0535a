"""Confluence's pages for people, with their comments, so that links in replies open."""

from typing import Any

from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.adf import Node
from sandbox.adf_html import to_html
from sandbox.confluence import Confluence, Sheet
from sandbox.confluence_talk import Note
from sandbox.pages import not_there, page, shown

HOME = "Confluence of the sandbox"


class WikiPages:
    def __init__(self, confluence: Confluence) -> None:
        self._confluence = confluence

    def routes(self) -> list[Route]:
        one = "/wiki/spaces/{space}/pages/{page}"
        return [shown("/", self.index), shown(one, self.page), shown(one + "/{title:path}", self.page)]

    def index(self, _request: Request, _form: FormData | None) -> Response:
        with self._confluence.lock:
            sheets = [s for s in self._confluence.pages.values() if s.status != "trashed"]
            groups = [
                {"key": key, "name": space.name, "items": [_entry(s) for s in sheets if s.space == key]}
                for key, space in self._confluence.spaces.items()
            ]
        return page("index.html", home=HOME, note="A make-believe company; nothing here is real.", groups=groups)

    def page(self, request: Request, _form: FormData | None) -> Response:
        focused = request.query_params.get("focusedCommentId", "")
        with self._confluence.lock:
            sheet = self._confluence.pages.get(request.path_params["page"])
            if sheet is None or sheet.status == "trashed" or sheet.space not in self._confluence.spaces:
                return not_there()
            pages = self._confluence.pages.values()
            last = sheet.versions[-1]
            first = [n for n in self._confluence.notes if n.page == sheet.id and self._confluence.notes.first(n) is n]
            document = self._confluence.to_adf(last.text)
            for note in first:
                if note.marked:
                    _mark(document, note.marked, note.id)
            return page(
                "wiki.html",
                home=HOME,
                title=sheet.title,
                space=self._confluence.spaces[sheet.space].name,
                ancestors=[_entry(above) for above in reversed(self._confluence.ancestors(sheet))],
                children=[_entry(s) for s in pages if s.parent == sheet.id and s.status != "trashed"],
                version=len(sheet.versions),
                author=self._confluence.person(last.author).name,
                at=f"{last.at:%Y-%m-%d %H:%M}",
                status=sheet.status,
                locks=self._locks(sheet),
                html=Markup(to_html(document)),  # noqa: S704 - escaped by to_html
                threads=[self._thread(note, focused) for note in first if note.inline],
                footer=[self._thread(note, focused) for note in first if not note.inline],
            )

    def _thread(self, first: Note, focused: str) -> dict[str, Any]:
        comments = [self._comment(note, focused) for note in self._confluence.notes.thread(first)]
        return {"id": first.id, "marked": first.marked, "state": first.state, "comments": comments}

    def _comment(self, note: Note, focused: str) -> dict[str, Any]:
        author, made = self._confluence.person(note.author), note.versions[0].at
        html = to_html(self._confluence.document(note.versions[-1]))
        return {
            "id": note.id,
            "author": author.name,
            "bot": author.bot,
            "locks": [],
            "focused": note.id == focused,
            "iso": made.isoformat(),
            "at": f"{made:%Y-%m-%d %H:%M}",
            "edited": len(note.versions) > 1,
            "html": Markup(html),  # noqa: S704 - escaped by to_html
        }

    def _locks(self, sheet: Sheet) -> list[str]:
        names = [self._confluence.person(user).name for user in sorted(sheet.users)]
        return [f"Read by: {', '.join([*sorted(sheet.groups), *names])}"] if sheet.restricted else []


def _mark(node: Node, marked: str, note_id: str) -> bool:
    """Highlight the first place of the text that a note is about, where it stands in one piece of text."""
    content = node.get("content") or []
    for at, part in enumerate(content):
        before, found, after = str(part.get("text", "")).partition(marked)
        if found and node["type"] != "codeBlock":
            marks = [*(part.get("marks") or []), {"type": "annotation", "attrs": {"id": note_id}}]
            pieces = [part | {"text": before}, part | {"text": found, "marks": marks}, part | {"text": after}]
            content[at : at + 1] = [piece for piece in pieces if piece["text"]]
            return True
        if _mark(part, marked, note_id):
            return True
    return False


def _entry(sheet: Sheet) -> dict[str, str]:
    url = f"/wiki/spaces/{sheet.space}/pages/{sheet.id}"
    state = "" if sheet.status == "current" else sheet.status
    return {"url": url, "key": sheet.id, "title": sheet.title, "state": state}
