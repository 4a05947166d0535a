"""The console as an ASGI application, to be mounted at /console."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import structlog
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from crosscheck.call_rate import CallRate
from crosscheck.callers import Callers
from crosscheck.console.assets import asset, assets
from crosscheck.console.errors import NoPage
from crosscheck.console.frame import Frame
from crosscheck.console.login import COOKIE, Login, forget, remember, same_site
from crosscheck.console.registry import VIEWS
from crosscheck.console.rendering import Rendering
from crosscheck.console.tries import Tries
from crosscheck.console.views import File, Shown, View, Visit
from crosscheck.errors import NotAnswered, NothingToOpen, NotOffered
from crosscheck.for_callers import ForCallers
from crosscheck.mcp.caller import Caller
from crosscheck.mcp.calls import Calls, Limits
from crosscheck.mcp.errors import ToolFailed, TooMany
from crosscheck.operations import EXPECTED, Operations
from crosscheck.settings_running import Console
from state.errors import StateError

log = structlog.get_logger(__name__)

_LIMITS = Limits(at_once=6, of_one=3, waiting=20, seconds=60)
_LARGEST_FORM = 4_096  # bytes: a token and its name
WRONG = "This token is not known."
TOO_MANY = "Too many wrong tokens came from your address. Try again in ten minutes."
ELSEWHERE = "This form was not sent by this site. Open the page anew and try again."
NOTHING_HERE = "There is nothing at this address."
BROKEN = "The page could not be made; the service's log has the details."
NOT_NOW = "It cannot be told just now who you are. Try again in a minute."

Answer = Callable[[Request], Awaitable[Response]]


def create_console(
    operations: Operations,
    settings: Console,
    callers: Callers,
    *,
    clock: Callable[[], datetime],
    hosts: Sequence[str] = (),
    views: Sequence[View] = VIEWS,
    rate: CallRate | None = None,
) -> Frame:
    """The application below /console. It only reads, by operations that are run for the viewer's audience.

    `hosts` are names that requests may be sent to besides loopback's; `rate` counts the pages of each viewer, and the
    calls of the same token by other ways in. Raises ValueError for a label with a comma.
    """
    site = _Site(ForCallers(operations), Login(settings, callers), clock, views, rate)
    app = Starlette(routes=site.routes(), exception_handlers=site.handlers())
    app.router.redirect_slashes = False  # it would lead to the Host that was sent, without TLS
    return Frame(app, hosts)


class _Site:
    """Its parts, and what is the same for each page."""

    def __init__(
        self,
        operations: Operations,
        login: Login,
        clock: Callable[[], datetime],
        views: Sequence[View],
        rate: CallRate | None,
    ) -> None:
        self._operations = operations
        self._login = login
        self._clock = clock
        self._views = views
        self._tries = Tries(clock)
        self._rendering = Rendering()
        self._assets = assets()
        self._calls = Calls(_LIMITS, rate)  # in threads of their own: those of the server are for deliveries

    def routes(self) -> list[Route]:
        return [
            *(Route(view.path, self._page(view), name=view.name) for view in self._views),
            Route("/login", self._form, name="login"),
            Route("/login", self._log_in, methods=["POST"]),
            Route("/logout", self._log_out, name="logout", methods=["POST"]),
            Route("/static/{name}", self._asset, name="static"),
        ]

    def handlers(self) -> Mapping[Any, Callable[[Request, Any], Awaitable[Response]]]:
        return {HTTPException: self._refused, StateError: self._not_now}

    def _page(self, view: View) -> Answer:
        async def answer(request: Request) -> Response:
            viewer = await self._viewer(request)
            if viewer is None:
                return self._stranger(request)
            visit = Visit(viewer, request.path_params, request.query_params, self._clock(), self._operations)
            try:
                return await self._calls.run(lambda _report: self._safely(request, view, visit), _unheard, viewer.name)
            except TooMany as error:
                refused = self._trouble(request, viewer, 429, str(error))
                refused.headers["Retry-After"] = str(error.seconds)
                return refused
            except ToolFailed as error:  # too many at once, or it took too long
                return self._trouble(request, viewer, 503, str(error))

        return answer

    async def _viewer(self, request: Request) -> Caller | None:
        """Not in the event loop: it is looked in the database which tokens are revoked. Raises StateError."""
        return await run_in_threadpool(self._login.viewer, request)

    def _made(self, request: Request, view: View, visit: Visit) -> Response:
        try:
            shown = view.answer(visit)
        except (NoPage, NothingToOpen, NotOffered) as error:
            return self._trouble(request, visit.viewer, 404, str(error))
        except NotAnswered as error:
            return self._trouble(request, visit.viewer, 503, str(error))
        except EXPECTED as error:  # what is left of them is for who asks
            return self._trouble(request, visit.viewer, 400, str(error))
        if isinstance(shown, File):
            return Response(shown.content, shown.status, media_type=shown.media)
        return self._html(request, visit.viewer, shown, here=view.name)

    def _safely(self, request: Request, view: View, visit: Visit) -> Response:
        try:
            return self._made(request, view, visit)
        except Exception as error:  # the edge of a page: the viewer is told, the log has the trace
            log.exception("console page failed", page=view.name, error=type(error).__name__)
            return self._trouble(request, visit.viewer, 500, BROKEN)

    def _html(self, request: Request, viewer: Caller | None, shown: Shown, here: str = "") -> Response:
        root = _root(request)

        def url(view: str, /, **path: Any) -> str:
            return root + str(request.app.url_path_for(view, **path))

        every = {
            "url": url,
            "here": here,
            "menu": [view for view in self._views if view.menu] if viewer else [],
            "viewer": viewer,
            "by_token": COOKIE in request.cookies,
            "scripts": "htmx.js" in self._assets,
            "now": self._clock(),
        }
        html = self._rendering.html(shown.template, {**every, **shown.values})
        return HTMLResponse(html.encode("utf-8", "replace"), shown.status)

    def _trouble(self, request: Request, viewer: Caller | None, status: int, told: str) -> Response:
        return self._html(request, viewer, Shown("trouble.html", {"status": status, "told": told}, status))

    def _stranger(self, request: Request) -> Response:
        """Nobody knows who it is: a browser is led to the form, and a token that is not taken any more is dropped."""
        if request.headers.getlist("authorization"):
            refused = self._trouble(request, None, 401, WRONG)
            refused.headers["WWW-Authenticate"] = "Bearer"
            return refused
        login = _root(request) + str(request.app.url_path_for("login"))
        by_script = "hx-request" in request.headers  # a script that followed would put the form into the page
        response = Response(status_code=401, headers={"HX-Redirect": login}) if by_script else _to(login)
        if COOKIE in request.cookies:
            forget(response, request, _root(request))
        return response

    async def _form(self, request: Request) -> Response:
        return self._login_page(request, "", 200)

    def _login_page(self, request: Request, told: str, status: int) -> Response:
        return self._html(
            request, None, Shown("login.html", {"told": told, "tokens": bool(self._login.callers)}, status)
        )

    async def _log_in(self, request: Request) -> Response:
        if not same_site(request.headers, request.headers.get("host", "")):
            return self._login_page(request, ELSEWHERE, 403)
        address = self._login.address(request)
        if self._tries.exhausted(address):
            log.warning("console: too many wrong tokens", address=address)
            return self._login_page(request, TOO_MANY, 429)
        token = await _token(request)
        viewer = await run_in_threadpool(self._login.by_token, token)
        if viewer is None:
            self._tries.failed(address)
            log.warning("console: wrong token", address=address)
            return self._login_page(request, WRONG, 403)
        log.info("console: logged in", viewer=viewer.name)
        response = _to(_root(request) + "/")
        remember(response, request, token, _root(request))
        return response

    async def _log_out(self, request: Request) -> Response:
        if not same_site(request.headers, request.headers.get("host", "")):
            return self._trouble(request, None, 403, ELSEWHERE)
        response = _to(_root(request) + str(request.app.url_path_for("login")))
        forget(response, request, _root(request))
        return response

    async def _asset(self, request: Request) -> Response:
        found = self._assets.get(request.path_params["name"])
        return asset(*found) if found else self._trouble(request, None, 404, NOTHING_HERE)

    async def _refused(self, request: Request, error: HTTPException) -> Response:
        told = NOTHING_HERE if error.status_code == 404 else str(error.detail)
        try:
            viewer = await self._viewer(request)
        except StateError:  # then without the navigation
            viewer = None
        return self._trouble(request, viewer, error.status_code, told)

    async def _not_now(self, request: Request, error: StateError) -> Response:
        """Nobody is let in while it cannot be told who is out."""
        log.error("console refused", reason=str(error))
        return self._trouble(request, None, 503, NOT_NOW)


def _to(address: str) -> Response:
    return RedirectResponse(address, 303)


def _root(request: Request) -> str:
    """Where the console is mounted."""
    return str(request.scope.get("root_path", ""))


async def _token(request: Request) -> str:
    """What the form holds; empty for what is too large to be one."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST_FORM:
            return ""
    return QueryParams(bytes(body).decode("utf-8", "replace")).get("token", "").strip()


async def _unheard(_report: dict[str, Any]) -> None:
    """Nobody sees progress."""
