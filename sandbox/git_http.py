"""Git over smart HTTP: `git http-backend` as a CGI program, for fetching only."""

import asyncio
import os
import subprocess
from collections.abc import Mapping
from email.parser import BytesHeaderParser

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sandbox.git import PULL_REFS, SECONDS, environment
from sandbox.git_api import given, visible
from sandbox.git_host import GitHost, Token

LARGEST_ANSWER = 64_000_000
FETCH = "git-upload-pack"

_SHOWN: Mapping[str, tuple[str, ...]] = {
    "github": PULL_REFS[:1],
    "gitlab": PULL_REFS[1:2],
    "bitbucket-cloud": (),
    "bitbucket-data-center": PULL_REFS[2:],
}
"""Which heads of pull requests a vendor lets a client fetch; Bitbucket Cloud has no refs for them."""


class GitHttp:
    """One vendor's repositories at `/OWNER/NAME.git` (Bitbucket Data Center: `/scm/OWNER/NAME.git`)."""

    def __init__(self, host: GitHost, kind: str) -> None:
        self._host = host
        self._prefix = "/scm" if kind == "bitbucket-data-center" else ""
        hidden = ["refs/sandbox", *(ref.partition("/{}")[0] for ref in PULL_REFS if ref not in _SHOWN[kind])]
        self._settings = {"GIT_CONFIG_COUNT": str(len(hidden))}
        for at, ref in enumerate(hidden):
            self._settings |= {f"GIT_CONFIG_KEY_{at}": "uploadpack.hideRefs", f"GIT_CONFIG_VALUE_{at}": ref}

    def routes(self) -> list[Route]:
        path = f"{self._prefix}/{{owner}}/{{repo}}"
        return [
            Route(f"{path}/info/refs", self.refs, methods=["GET"]),
            Route(f"{path}/{FETCH}", self.pack, methods=["POST"]),
        ]

    async def refs(self, request: Request) -> Response:
        if request.query_params.get("service") != FETCH:
            return PlainTextResponse("This repository can be fetched from, over the smart protocol, and no more.", 403)
        return await self._served(request, "/info/refs", b"")

    async def pack(self, request: Request) -> Response:
        return await self._served(request, f"/{FETCH}", await request.body())

    async def _served(self, request: Request, tail: str, body: bytes) -> Response:
        repo = request.path_params["repo"].removesuffix(".git")
        refusal = self._refusal(request, repo)
        if refusal is not None:
            return refusal
        return await asyncio.to_thread(self._backend, request, repo, tail, body)

    def _refusal(self, request: Request, repo: str) -> Response | None:
        value, owner = given(request), request.path_params["owner"]
        token = self._host.known(value) if value else None
        if token is None and not (value is None and self._host.anonymous_git):
            return PlainTextResponse("Unauthorized", 401, {"www-authenticate": 'Basic realm="Git"'})
        if token is not None and token.forbidden:
            return PlainTextResponse("Forbidden", 403)
        seen = visible(self._host, token or Token(""), owner, repo)
        return None if seen else PlainTextResponse("Not found", 404)

    def _backend(self, request: Request, repo: str, tail: str, body: bytes) -> Response:
        path = self._host.path(repo)
        variables = environment() | self._settings
        variables |= {
            "GIT_PROJECT_ROOT": str(path.parent),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": f"/{path.name}{tail}",
            "REQUEST_METHOD": request.method,
            "QUERY_STRING": request.url.query,
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        try:
            done = subprocess.run(
                ["git", "http-backend"],
                env=variables,
                cwd=os.sep,
                input=body,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return PlainTextResponse("Git took too long.", 504)
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        if done.returncode != 0 or not head or len(answer) > LARGEST_ANSWER:
            return PlainTextResponse("Git failed.", 500)
        headers = dict(BytesHeaderParser().parsebytes(head + b"\r\n\r\n").items())
        status = int(headers.pop("Status", "200").partition(" ")[0])
        return Response(answer, status, headers)
