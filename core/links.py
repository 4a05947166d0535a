"""What a pasted address points to: a ticket, a page, a file at a line, a commit, a pull request.

Hosts are not compared: the same things have the same forms of address at every Jira, Confluence, GitHub, GitLab and
Bitbucket.
"""

import binascii
import re
from base64 import b64decode
from urllib.parse import parse_qs, unquote, unquote_plus, urlsplit

from core.key import Key

_TICKET = re.compile(r"[A-Z][A-Z0-9_]+-[0-9]{1,10}")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_NUMBER = re.compile(r"[1-9][0-9]{0,15}")
_LINES = re.compile(r"(?:L|lines-)?(?P<line>[0-9]{1,7})(?:C[0-9]+)?(?:[-:,]L?(?P<last>[0-9]{1,7}))?")
_COMMITS = frozenset({"commit", "commits"})
_PULLS = frozenset({"pull", "pulls", "pull-requests", "merge_requests", "issues"})
_FILES = frozenset({"blob", "blame", "raw", "src", "edit"})
_DEEPEST = 64  # parts of an address that are looked at
_BESIDE = frozenset({"-", "repos", "projects", "users", "scm"})  # parts of an address that are no names


def pointed_to(address: str) -> Key | None:
    """What an address with `http` stands for; None if it has none of the known forms, or is no address."""
    try:
        parts = urlsplit(address)
        query = parse_qs(parts.query, max_num_fields=50, errors="replace")
    except ValueError:
        return None
    way = [unquote(part, errors="replace") for part in parts.path.split("/") if part][:_DEEPEST]
    return _ticket(way, query) or _page(way, query) or _in_repository(way, unquote(parts.fragment))


def _ticket(way: list[str], query: dict[str, list[str]]) -> Key | None:
    chosen = query.get("selectedIssue", [])[:1]
    after = {"browse", "issues", "issue", "portal"}  # /browse/K, /projects/P/issues/K, /customer/portal/3/K
    named = chosen + [part for at, part in enumerate(way) if after & set(way[max(0, at - 2) : at])]
    found = next((part for part in named if _TICKET.fullmatch(part)), None)
    return Key("ticket", found) if found else None


def _page(way: list[str], query: dict[str, list[str]]) -> Key | None:
    if (number := query.get("pageId", [""])[0]).isdecimal():
        return Key("page", number)
    for at, part in enumerate(way[:-1]):
        following = way[at + 1]
        if part == "pages" and _NUMBER.fullmatch(following):
            return Key("page", following)
        if part == "display" and len(way) == at + 3:  # /display/SPACE/Page+title
            return Key("page", unquote_plus(way[at + 2]))
        if part == "x" and way[:at] in ([], ["wiki"]) and len(way) == at + 2 and (page := _short(following)):
            return Key("page", page)
    return None


def _short(code: str) -> str | None:
    """The id in a short link: its bytes, least first, in base64 without the zeros at the end.

    (Atlassian, How to programmatically generate the tiny link of a Confluence page.)
    """
    if len(code) > 11:
        return None
    try:
        raw = b64decode(code.replace("-", "/").replace("_", "+").ljust(12, "A"), validate=True)
    except (binascii.Error, ValueError):
        return None
    return str(int.from_bytes(raw[:8], "little"))


def _in_repository(way: list[str], fragment: str) -> Key | None:
    for at, part in enumerate(way[:-1]):
        repo = "/".join(name for name in way[:at] if name not in _BESIDE) or None
        following = way[at + 1]
        if part in _COMMITS and _COMMIT.fullmatch(following):
            return Key("commit", following, repo=repo)
        if part in _PULLS and _NUMBER.fullmatch(following):
            return _of_pull(way[at + 2 :], following, repo)
        if part in _FILES and at >= 2 and len(way) > at + 2:
            return _file(way[at + 2 :], fragment, repo)
        if part == "browse" and "repos" in way[:at]:  # Bitbucket Data Center says the branch in the query
            return _file(way[at + 1 :], fragment, repo)
    return None


def _of_pull(rest: list[str], number: str, repo: str | None) -> Key:
    if len(rest) == 2 and rest[0] in _COMMITS and _COMMIT.fullmatch(rest[1]):
        return Key("commit", rest[1], repo=repo)
    return Key("pull", number, repo=repo)


def _file(way: list[str], fragment: str, repo: str | None) -> Key:
    lines = _LINES.fullmatch(fragment)
    if lines is None:
        return Key("path", "/".join(way), repo=repo)
    last = int(lines["last"]) if lines["last"] else None
    return Key("path", "/".join(way), int(lines["line"]), last, repo)
