"""Confluence's pages for people, so that links in replies open."""

from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.adf_html import to_html
from sandbox.confluence import Confluence, Sheet
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
        with self._confluence.lock:
            sheet = self._confluence.pages.get(request.path_params["page"])
            if sheet is None or sheet.status == "trashed" or sheet.space not in self._confluence.spaces:
                return not_there()
            pages = self._confluence.pages.values()
            last = sheet.versions[-1]
            return page(
                "wiki.html",
                home=HOME,
                title=sheet.title,
                space=self._confluence.spaces[sheet.space].name,
                ancestors=[_entry(above) for above in reversed(self._confluence.ancestors(sheet))],
                children=[_entry(s) for s in pages if s.parent == sheet.id and s.status != "trashed"],
                version=len(sheet.versions),
                author=self._confluence.accounts.of(last.author).name,
                at=f"{last.at:%Y-%m-%d %H:%M}",
                status=sheet.status,
                locks=self._locks(sheet),
                html=Markup(to_html(self._confluence.to_adf(last.text))),  # noqa: S704 - escaped by to_html
            )

    def _locks(self, sheet: Sheet) -> list[str]:
        names = [self._confluence.accounts.of(user).name for user in sorted(sheet.users)]
        return [f"Read by: {', '.join([*sorted(sheet.groups), *names])}"] if sheet.restricted else []


def _entry(sheet: Sheet) -> dict[str, str]:
    url = f"/wiki/spaces/{sheet.space}/pages/{sheet.id}"
    state = "" if sheet.status == "current" else sheet.status
    return {"url": url, "key": sheet.id, "title": sheet.title, "state": state}
