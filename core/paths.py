"""What a file's path says: which document it is, and what it is for."""

import re
from functools import lru_cache

_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|spec|specs|__tests__|e2e)/|(?:^|/)(?:test_[^/]*|[^/]*[_.-](?:test|tests|spec)|conftest)\.\w+$"
)
_GENERATED = re.compile(
    r"(?:^|/)(?:vendor|node_modules|third_party|dist|generated)/|\.min\.\w+$|_pb2(?:_grpc)?\.pyi?$|\.pb\.\w+$|\.generated\.\w+$"
    r"|(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|cargo\.lock|go\.sum|uv\.lock)$"
)
_NEWS = re.compile(
    r"(?:^|/)(?:releases?|release[-_]?notes|whatsnew|changelogs?|newsfragments)/"
    r"|(?:^|/)(?:changelog|changes|history|news|release[-_]?notes)(?:\.\w+)?$"
)
_GROUPS = {"comment": "ticket", "history": "ticket", "page": "document", "file": "document", "attachment": "document"}


def file_id(repo: str, path: str, branch: str | None = None) -> str:
    """The id of a file's document; with a branch, of the file as it is in development there."""
    return f"git:{repo}@{branch}:{path}" if branch else f"git:{repo}:{path}"


@lru_cache(maxsize=50_000)
def group_of(kind: str, path: str | None) -> str:
    """The group of kinds that shares reserved places: `ticket` (with its comments and history), `document` (pages,
    files, attachments), `code`, `test`, `generated`, `news` (release notes: they repeat every change's words),
    `commit`, `qa`.
    """
    if path is not None and kind in {"code", "file"}:
        folded = path.casefold()
        if _GENERATED.search(folded):
            return "generated"
        if kind == "code" and _TEST.search(folded):
            return "test"
        if kind == "file" and _NEWS.search(folded):
            return "news"
    return _GROUPS.get(kind, kind)
