"""Uses of an event or a topic: `booking.held`, `booking-events`, `BookingHeld`."""

import re
from collections.abc import Iterator

from core.tokens import WORDLIKE
from core.usage.sought import Role, Sighting, Trail
from core.usage.spelling import joined, pascal, spellings, words
from core.usage.types import Confidence, How
from core.usage.view import View

_RECEIVES = re.compile(
    r"subscri|consum|listen|(?<![a-z])on\s*\(|\.on\b|handle|receiv|\bbind|routing_?key|@when|webhook|trigger(?:s|ed)?_?by"
    r"|(?<![a-z])(?:on|when)_?[A-Z]|addlistener|reader|\bcase\b|===?|\bmatch\b|dispatcher\.register|\bqueues?\b",
    re.IGNORECASE,
)
_SENDS = re.compile(
    r"publish|\bemit|\.emit|\bsend|\.send|produc|dispatch(?!er\.register)|\bnotify|\bfire|enqueue|outbox|append_event|raise_event",
    re.IGNORECASE,
)
_CONSTANT = re.compile(
    r"^\s*(?:(?:export|public|private|protected|internal|static|final|readonly|const|let|var|val|String|string)\s+)*"
    r"(?P<name>[A-Za-z_]\w*)\s*(?::\s*[\w.]+\s*)?:?=\s*[rbf]?[\"'`]"
)
_OPENS = r"""(?:["'`,({}\[/:=|])\s?"""
_CLOSES = r"""\s?(?:["'`,)}\]|]|$)"""
_BEFORE = r"(?:on|handle|when|process|consume|receive|publish|emit|send|notify)?_?"
_AFTER = r"(?:_?(?:Event|Message|Payload|Handler|Listener|Consumer|Subscriber|Topic|Schema|Dto|Data))*"


class EventSought:
    """See `core.usage.sought.Sought`."""

    def __init__(self, name: str) -> None:
        self._name = name.strip()
        self._words = tuple(word for word in words(self._name))
        if self._words[-1:] == ("event",) and len(self._words) > 2:
            self._words = self._words[:-1]
        either = joined(self._words)
        # a topic with more before or after it is another topic; what is filled in before it may be an environment
        self._topic = re.compile(
            rf"(?<![{WORDLIKE}$])(?<![{WORDLIKE}][.:/-])(?P<topic>{either})(?![{WORDLIKE}]|[.:/-][{WORDLIKE}*#])",
            re.IGNORECASE,
        )
        self._identifier = re.compile(
            rf"(?<![{WORDLIKE}$])(?P<before>{_BEFORE})(?P<name>{'_?'.join(map(re.escape, self._words))})"
            rf"(?P<after>{_AFTER})(?![{WORDLIKE}])",
            re.IGNORECASE,
        )
        firsts = [re.escape(self._words[0])] if len(self._words) > 1 else []
        self._pattern = re.compile(rf"[\"'`](?:{'|'.join(firsts) or '(?!)'})[.:/-][*#>][\"'`]", re.IGNORECASE)

    @property
    def trail(self) -> Trail:
        last = self._words[0]
        wholes = ("_".join(self._words), "".join(self._words), "".join([*self._words, "event"]))
        return Trail(
            symbols=(pascal(self._words), "_".join(self._words).upper()),
            texts=(spellings(self._words), last),
            wholes=wholes,
        )

    def may_be_in(self, text: str) -> bool:
        return bool(self._identifier.search(text) or self._topic.search(text) or self._pattern.search(text))

    def sightings(self, view: View) -> Iterator[Sighting]:
        for row, (line, naked) in enumerate(zip(view.bare, view.naked, strict=True)):
            if sighting := self._at(view, row, line, naked):
                yield sighting

    def _at(self, view: View, row: int, line: str, naked: str) -> Sighting | None:
        if view.prose:
            match = self._topic.search(line)
            exact = match is not None and match["topic"] == self._name
            telling = exact and (len(self._words) > 1)
            return Sighting(row, "likely" if exact else "possible", "Documentation names it.") if telling else None
        match = self._topic.search(line)
        if match and (view.reading is None or match["topic"] not in naked[match.start() : match.end()]):
            return self._in_text(view, row, line, match["topic"])
        if view.reading is not None and (match := self._identifier.search(naked)):
            return self._in_code(view, row, naked, match)
        if self._pattern.search(line) and _RECEIVES.search(view.near(row, 2, 1)):
            return Sighting(row, "likely", "It subscribes to a pattern that takes in the topic.")
        return None

    def _in_text(self, view: View, row: int, line: str, topic: str) -> Sighting | None:
        """In a string, or in a file that no grammar reads."""
        exact = topic == self._name
        if view.reading is not None and not re.search(rf"{_OPENS}{re.escape(topic)}{_CLOSES}", line):
            return None  # a word of a sentence
        if not exact and topic.isalpha() and topic.islower():
            return None  # words run together may be a word
        if not exact and not self._separated(topic) and view.configuration:
            return None
        if (constant := _CONSTANT.match(line)) and not view.configuration:
            name = constant["name"]
            return Sighting(row, "sure" if exact else "likely", f"“{name}” holds it.", role="defines", telling=False)
        lower: Confidence = "likely" if exact else "possible"
        others = "" if exact else f" as “{topic}”"
        places: tuple[tuple[str, Confidence], ...] = (
            (line, "sure" if exact else "likely"),
            (view.near(row, 2, 1), lower),
        )
        for text, confidence in places:
            sends, receives = _SENDS.search(text), _RECEIVES.search(text)
            if receives and not (sends and text == line):
                return Sighting(row, confidence, f"It is received{others} here.")
            if sends:
                return Sighting(row, confidence, f"It is sent{others} here.", role="defines")
        return Sighting(
            row, lower, f"Its name stands{others} in text; whether it is sent or received is not told.", telling=False
        )

    def _in_code(self, view: View, row: int, naked: str, match: re.Match[str]) -> Sighting | None:
        found = match[0]
        if len(self._words) == 1 and (found.islower() or not match["after"]):
            return None  # a plain word means anything
        if found in view.defined(row):
            if match["before"] or re.search(r"(?i)handler|listener|consumer|subscriber", match["after"]):
                return Sighting(row, "likely", f"“{found}” is named as what receives it.", "syntax")
            return Sighting(row, "sure", f"“{found}” is defined here.", "syntax", "defines", telling=False)
        if view.is_import(row):
            return Sighting(row, "likely", f"“{found}” is imported here.", "syntax", "imports", telling=False)
        how: How = "syntax" if view.uses(row, found) else "text"
        if _SENDS.search(naked) and not match["before"]:
            return Sighting(row, "likely", f"“{found}” is sent here.", how, "defines")
        if _RECEIVES.search(naked) or match["before"]:
            return Sighting(row, "sure" if how == "syntax" else "likely", f"“{found}” is received here.", how)
        return Sighting(row, "likely", f"“{found}” is used here.", how, telling=False)

    @staticmethod
    def role_of(line: str) -> Role:
        """What a line does that uses a constant which holds the name."""
        return "defines" if _SENDS.search(line) else "uses"

    def _separated(self, topic: str) -> bool:
        return re.search(r"[._:/-]", topic) is not None or topic[:1].isupper()
