"""The operations over HTTP, for programs with a token: `POST /v1/search`, `/v1/ask`, `/v1/review`, `/v1/plan`.

`GET /v1/openapi.json` describes them. Every answer stays within the labels of the token.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import structlog
from fastapi import Depends, FastAPI, Header, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from bots.text import one_line
from core.errors import CoreError
from crosscheck.bounded import Bounded
from crosscheck.call_rate import CallRate
from crosscheck.callers import Callers
from crosscheck.errors import NotAnswered, NothingToOpen, NotOffered
from crosscheck.mcp.arguments import Name
from crosscheck.mcp.caller import Caller
from crosscheck.mcp.calls import Calls, Limits
from crosscheck.mcp.errors import ToolFailed, TooMany
from crosscheck.mcp.http import AGAIN_AFTER, OF_ONE
from crosscheck.operations import Operations
from review.errors import NothingToReview, ReviewError
from review.plan.types import LONGEST
from state.errors import StateError

log = structlog.get_logger(__name__)

LARGEST = 1_000_000
"""Bytes of a request."""
_LIMITS = Limits(of_one=OF_ONE, waiting=100, seconds=600)  # a review by a model on the team's own machine takes minutes
_CALLER = "crosscheck.caller"  # in a request's scope
_NOT_NOW = "It cannot be told just now whose token this is. Try again in a minute."
_NO_TOKEN = "This needs a token that an administrator made, once: Authorization: Bearer TOKEN."  # noqa: S105  a sentence


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SearchRequest(_Body):
    text: str = Field(min_length=1, max_length=8000, description="What is looked for: words, a key, a path, a symbol.")
    variants: list[Annotated[str, Field(max_length=2000)]] = Field(
        default=[], max_length=8, description="Other wordings of the same question."
    )
    limit: int = Field(10, ge=1, le=50, description="Pieces of evidence, at most.")
    sources: list[Name] = Field(default=[], max_length=50, description="Only these sources.")
    repositories: list[Name] = Field(default=[], max_length=50, description="Only these repositories.")
    path: str | None = Field(None, max_length=500, description="Only files whose path this glob matches.")
    branch: str | None = Field(None, max_length=200, description="A branch in development; else the baseline.")
    as_of: datetime | None = Field(None, description="Leaves out what was changed after this moment.")


class AskRequest(_Body):
    text: str = Field(min_length=1, max_length=8000, description="A question, in any words.")


class ReviewRequest(_Body):
    key: str = Field(min_length=1, max_length=100, description="A ticket's key, or `confluence:` and the id of a page.")


class PlanRequest(_Body):
    plan: str = Field(min_length=1, max_length=LONGEST, description="The plan or diff, before it is carried out.")
    repository: str | None = Field(None, max_length=200, description="The repository that is to be changed.")
    branch: str | None = Field(None, max_length=200, description="The branch that is worked on.")


class Linked(BaseModel):
    """A place in a source. `url` opens there; it is empty where nothing can be opened."""

    title: str
    url: str
    document: str


class Quoted(Linked):
    quote: str
    looked_for: str


class EvidenceAnswer(Linked):
    source: str
    kind: str
    context: str
    text: str
    score: float = Field(description="Comparable within one answer only.")
    route: Literal["exact", "hybrid", "read"]
    updated: datetime
    unread: list[str] = Field(description="What of its document could not be read.")


class SearchAnswer(BaseModel):
    evidence: list[EvidenceAnswer]
    notes: list[str]
    degraded: list[str] = Field(description="What did not go as it should.")


class UnknownAnswer(BaseModel):
    what: str
    settled_by: str


class StatementAnswer(BaseModel):
    text: str
    sources: list[int] = Field(description="Numbers of `AskAnswer.sources`.")


class ReferenceAnswer(Linked):
    number: int
    kind: str
    updated: datetime | None
    stale: bool


class AskAnswer(BaseModel):
    question: str
    statements: list[StatementAnswer] = Field(description="Empty: no answer was found.")
    sources: list[ReferenceAnswer]
    nearest: list[Linked] = Field(description="What came nearest, where there is no answer.")
    unknowns: list[UnknownAnswer]
    degraded: list[str]
    made_by: str
    reply: str = Field(description="The same as text.")


class FindingAnswer(BaseModel):
    rule: str
    category: str
    priority: Literal["P0", "P1", "P2", "P3"]
    statement: str
    why: str
    question: str
    evidence: list[Quoted]
    fingerprint: str


class ReviewAnswer(BaseModel):
    key: str
    title: str
    url: str
    findings: list[FindingAnswer]
    unknowns: list[UnknownAnswer]
    degraded: list[str]
    made_by: str
    at: datetime
    reply: str = Field(description="The same as text.")


class PlanSourceAnswer(Linked):
    kind: str
    source: str
    text: str
    why: str
    updated: datetime


class PlanCheckAnswer(BaseModel):
    category: str
    priority: Literal["P0", "P1", "P2", "P3"]
    statement: str
    why: str
    evidence: list[Quoted]


class PlanAnswer(BaseModel):
    nothing_new: bool = Field(description="True: nothing was found that the plan does not show to know.")
    sources: list[PlanSourceAnswer] = Field(max_length=3)
    checks: list[PlanCheckAnswer] = Field(max_length=5)
    unknowns: list[UnknownAnswer] = Field(description="Where it could not be looked.")
    degraded: list[str]
    made_by: str
    at: datetime


class Refusal(BaseModel):
    error: str = Field(description="What is wrong, and what to do.")


def create_api(operations: Operations, callers: Callers, rate: CallRate | None = None) -> FastAPI:
    """The application below `/v1`. `operations` tell callers nothing that is an administrator's; `rate` counts their
    calls, those of other ways in as well.
    """
    api = FastAPI(
        title="Crosscheck",
        version="1",
        docs_url=None,
        redoc_url=None,
        responses={code: {"model": Refusal} for code in (401, 404, 408, 413, 422, 429, 503)},
    )

    async def caller(
        request: Request, _authorization: Annotated[str, Header(alias="Authorization", description="Bearer TOKEN")] = ""
    ) -> Caller:
        found: Caller = request.scope[_CALLER]
        return found

    Known = Annotated[Caller, Depends(caller)]  # noqa: N806  a type

    # In threads of their own: those of the server are for deliveries, which must not wait for programs.
    calls = Calls(_LIMITS, rate)

    async def run(name: str, who: Caller, **arguments: Any) -> dict[str, Any]:
        log.info("asked over HTTP", operation=name, caller=who.name)
        asked = {**arguments, "audience": who.audience}
        return await calls.run(lambda report: operations.run(name, asked, report), _unheard, who.name)

    @api.post("/search")
    async def search(body: SearchRequest, who: Known) -> SearchAnswer:
        """Find evidence."""
        filters = {
            "sources": body.sources,
            "repos": body.repositories,
            "path": body.path,
            "branch": body.branch,
            "as_of": body.as_of.isoformat() if body.as_of else None,
        }
        found = await run("search", who, text=body.text, variants=body.variants, limit=body.limit, filters=filters)
        return SearchAnswer.model_validate(found)

    @api.post("/ask")
    async def ask(body: AskRequest, who: Known) -> AskAnswer:
        """Answer a question from tickets, pages, code and commits."""
        return AskAnswer.model_validate(await run("ask", who, text=body.text))

    @api.post("/review")
    async def review(body: ReviewRequest, who: Known) -> ReviewAnswer:
        """Review a ticket or page; nothing is posted."""
        return ReviewAnswer.model_validate(await run("review", who, key=body.key))

    @api.post("/plan")
    async def plan(body: PlanRequest, who: Known) -> PlanAnswer:
        """What could change a plan, before it is carried out."""
        found = await run("plan", who, plan=body.plan, repository=body.repository, branch=body.branch)
        return PlanAnswer.model_validate(found)

    _refuse(api)
    api.add_middleware(Bounded, most=LARGEST)
    api.add_middleware(_OfCallers, callers=callers)
    return api


class _OfCallers:
    """Lets nobody without a token send anything, and reads nothing of it; the description is everybody's."""

    def __init__(self, app: ASGIApp, callers: Callers) -> None:
        self._app = app
        self._callers = callers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in {"GET", "HEAD"}:
            given = Headers(scope=scope).getlist("authorization")
            try:
                scope[_CALLER] = await run_in_threadpool(self._callers.by_headers, given)
            except StateError as error:
                log.error("HTTP refused", reason=str(error))  # noqa: TRY400  the reason is the message
                await _refusal(503, _NOT_NOW, {"Retry-After": AGAIN_AFTER})(scope, receive, send)
                return
            if scope[_CALLER] is None:
                await _refusal(401, _NO_TOKEN, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
                return
        await self._app(scope, receive, send)


async def _unheard(_report: dict[str, Any]) -> None:
    """Of progress nothing is told over HTTP."""


def _refuse(api: FastAPI) -> None:
    """Every refusal is one sentence, in one form."""

    @api.exception_handler(HTTPException)
    async def _http(_request: Request, error: HTTPException) -> Response:
        return _refusal(error.status_code, str(error.detail), error.headers)

    @api.exception_handler(RequestValidationError)
    async def _wrong(_request: Request, error: RequestValidationError) -> Response:
        told = [f"{'.'.join(map(str, one['loc'][1:])) or 'body'}: {one['msg']}" for one in error.errors()[:5]]
        return _refusal(422, one_line("; ".join(told), 1000))

    @api.exception_handler(NothingToReview)
    @api.exception_handler(NothingToOpen)
    @api.exception_handler(NotOffered)
    async def _absent(_request: Request, error: Exception) -> Response:
        return _refusal(404, str(error))

    @api.exception_handler(NotAnswered)
    async def _failed(_request: Request, error: NotAnswered) -> Response:
        return _refusal(503, str(error), {"Retry-After": AGAIN_AFTER} if error.again else None)

    @api.exception_handler(TooMany)
    async def _too_many(_request: Request, error: TooMany) -> Response:
        return _refusal(429, str(error), {"Retry-After": str(error.seconds)})

    @api.exception_handler(ToolFailed)
    async def _late(_request: Request, error: ToolFailed) -> Response:
        return _refusal(503, str(error), {"Retry-After": AGAIN_AFTER})

    @api.exception_handler(CoreError)
    @api.exception_handler(ReviewError)
    async def _unfit(_request: Request, error: Exception) -> Response:
        return _refusal(422, str(error))


def _refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, headers=headers)
