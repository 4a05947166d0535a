"""Uses of a route: `POST /v1/bookings/{id}/hold`, `/api/bookings/:id`."""

import re
from collections.abc import Iterator, Sequence

from core.errors import BadQuery
from core.usage.paths import PARAMETER, Fit, fit, is_base, segments_of, written
from core.usage.sought import Sighting, Trail
from core.usage.types import Confidence
from core.usage.view import View

_VERBS = "get|post|put|patch|delete|head|options"
_ASKED = re.compile(rf"\s*(?:(?P<verb>{_VERBS})\s+)?(?:https?://[^/\s]+)?(?P<path>/?\S*)\s*", re.IGNORECASE)
_VERB = re.compile(
    rf"""
      \.(?P<called>{_VERBS})(?:forobject|forentity|async|asjsonasync|fromjsonasync|_json|json)?\s*(?:<[^<>\n]*>)?!?\s*\(
    | @(?P<mapped>{_VERBS})(?:mapping)?\b
    | \[http(?P<attribute>{_VERBS})\b
    | \bmethods?["']?\s*[:=]\s*[\[{{(]?\s*["'`]?(?:\w+\.)?(?P<option>{_VERBS})\b
    | \bmethod\.?(?P<constant>{_VERBS})\b
    | -X\s*(?P<curl>{_VERBS})\b
    | ["'`(\s](?P<word>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)(?=["'`\s,)])
    | ^\s*(?P<rails>{_VERBS})\s+["']
    | \b(?P<function>{_VERBS})\s*\(\s*["'`]
    | ^\s*["']?(?P<openapi>{_VERBS})["']?\s*:\s*\{{?\s*$
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_SERVES = re.compile(
    rf"""
      ^\s*@[\w.]*\.(?:route|api_route|websocket|{_VERBS})\s*\(
    | @(?:(?:{_VERBS}|Request)Mapping|Path|Route|Controller|{_VERBS}|All)\s*\(
    | \[(?:Http(?:{_VERBS})|Route)\s*\(
    | \b(?:app|router|routes?|server|srv|r|mux|e|g|group|engine|fastify|blueprint|bp|v[0-9]|http)\.
      (?:{_VERBS}|all|use|route|handle|HandleFunc|any|add_api_route|add_url_rule|add_route|map(?:{_VERBS}))\s*\(
    | \b(?:re_)?path\s*\(\s*r?["']
    | \burl\s*\(\s*r["']
    | ^\s*(?:{_VERBS}|match|resources?)\s+["':]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CALLS = re.compile(r"\bhttp\.(?:get|post|put|patch|delete|head|options)\s*\(", re.IGNORECASE)
_CALLED_WITH = re.compile(r"\bfetch\s*\(")
_CONFIGURED = re.compile(r"""^\s*["']?(?:/[^\s"':]*|/\S*?)["']?\s*:\s*(?:\{|$|#)""")

_HOW: dict[Fit, tuple[Confidence, str]] = {
    "whole": ("sure", "The path is that of the route"),
    "based": ("sure", "The path is that of the route, behind a host or a base address"),
    "within a base": ("likely", "The path is that of the route but for a base such as /api or /v1"),
    "inside": ("possible", "The path is that of the route behind other segments"),
    "under a prefix": ("likely", "The path is the end of the route, whose beginning the file names too"),
    "ending": ("possible", "The path is the end of the route"),
    "covered": ("possible", "A pattern here takes in the route"),
}


class RouteSought:
    """See `core.usage.sought.Sought`. BadQuery for a route without a word."""

    def __init__(self, name: str) -> None:
        asked = _ASKED.fullmatch(name)
        path = asked["path"] if asked else name
        self._verb = (asked["verb"] or "").upper() if asked else ""
        self._segments = segments_of(path.split("?")[0])
        literals = [part for part in self._segments if part != PARAMETER and re.search(r"[^\W\d_]", part)]
        if not literals:
            raise BadQuery("There is no word in this route to look for.")
        self._words = tuple(part.casefold() for part in literals)
        self._own = tuple(word for word in self._words if not is_base(word))

    @property
    def trail(self) -> Trail:
        return Trail(texts=(" ".join(self._words), " ".join(self._words[-2:])))

    def may_be_in(self, text: str) -> bool:
        folded = text.casefold()
        return "/" in text and any(word in folded for word in self._own or self._words)

    def sightings(self, view: View) -> Iterator[Sighting]:
        prefixes: list[Sequence[str]] | None = None
        for row, line in enumerate(view.bare):
            if "/" not in line or view.is_import(row):
                continue
            for found in written(line):
                if prefixes is None and len(found.segments) < len(self._segments):
                    prefixes = [one.segments for one in written(view.surroundings)]
                how = fit(self._segments, found, prefixes or [])
                sighting = how and self._judged(view, row, how)
                if sighting:
                    yield sighting
                    break

    def _judged(self, view: View, row: int, how: Fit) -> Sighting | None:
        confidence, why = _HOW[how]
        verbs = self._verbs(view, row)
        if self._verb and verbs and self._verb not in verbs:
            return None
        if self._verb and how != "covered":
            if verbs:
                why += f", by {self._verb}"
            else:
                confidence = "likely" if confidence == "sure" else "possible"
                why += "; by which method is not said"
        if view.prose:
            return Sighting(
                row, min(confidence, "likely", key=_rank), f"Documentation names it: {why[0].lower()}{why[1:]}."
            )
        if self._is_served(view, row) and how not in {"covered", "inside"}:
            return Sighting(row, confidence, f"It is served here: {why[0].lower()}{why[1:]}.", role="defines")
        return Sighting(row, confidence, f"{why}.")

    def _verbs(self, view: View, row: int) -> set[str]:
        """The methods that are told at a path: in its line, else in those that belong to the call."""
        line = view.bare[row]
        if own := _told(line):
            return own
        if _CONFIGURED.match(line) and view.configuration:
            return _told(_block(view, row))
        call = view.near(row, 0, 4)
        if (told := _told(call.split(";")[0])) and "(" in call:
            return told
        before = view.bare[row - 1] if row and view.bare[row - 1].rstrip().endswith(("(", ",")) else ""
        if told := _told(before):
            return told
        return {"GET"} if _CALLED_WITH.search(before + line) else set()

    def _is_served(self, view: View, row: int) -> bool:
        line = view.bare[row]
        if view.configuration:
            return _CONFIGURED.match(line) is not None
        above = view.bare[row - 1] if row and view.bare[row - 1].rstrip().endswith("(") else ""
        for one in (line, above):
            if _SERVES.search(one) and not _CALLS.search(one):
                return True
        return bool(re.search(r"\bhttp\.(?:HandleFunc|Handle)\(", line))


def _told(text: str) -> set[str]:
    return {next(filter(None, match.groups())).upper() for match in _VERB.finditer(text)}


def _block(view: View, row: int) -> str:
    """The rows that are indented below one."""
    indent = len(view.bare[row]) - len(view.bare[row].lstrip())
    found = []
    for line in view.bare[row + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        found.append(line)
    return "\n".join(found)


def _rank(confidence: Confidence) -> int:
    return ("possible", "likely", "sure").index(confidence)
