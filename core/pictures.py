"""Pictures within documents: described by a model when one is set up, and otherwise said to be unread.

What is stored as structure never comes here (see `core.parsing.diagrams`), nor does SVG, which is no bitmap.

A picture costs once, in however many documents it stands: its description is kept by its content and by the describer's
name. What could not be described now (a limit, an outage) is tried again whenever its document is read again, at the
latest by the daily full reading of its source. For the index to notice, a connector's `Document.version` must be a
fingerprint of the text that comes from here, beside whatever else it is made of. `Document.unread` should not enter it:
the reasons change from run to run, the text does not.
"""

import hashlib
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from core.errors import DescriberUnavailable, PictureNotRead
from core.parsing.bitmap import Bitmap, bitmap
from core.parsing.markdown import clean, one_line
from core.parsing.parsed import Parsed, Picture
from core.types import Metrics, NullMetrics

LONGEST = 6_000
"""Characters of a description."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 60.0, 900.0  # seconds without asking after the model has failed
_WAIT = timedelta(hours=20)  # after an attempt that came to nothing: the next daily reading tries again
_MOST_WAITS = 7


@dataclass(frozen=True, slots=True)
class Description:
    """What a picture shows, in lines of Markdown, and what finding out cost."""

    text: str
    tokens: int


class Describer(Protocol):
    """A model that looks at pictures."""

    @property
    def name(self) -> str:
        """Changes when its descriptions would."""

    def describe(self, data: bytes, media_type: str) -> Description:
        """Raises PictureNotRead for this picture, DescriberUnavailable if it answers nobody just now."""


class Attempt(Protocol):
    """What is kept of a picture that was shown to a describer. Without both texts it came to nothing so far."""

    @property
    def description(self) -> str | None: ...
    @property
    def refusal(self) -> str | None: ...
    @property
    def attempts(self) -> int: ...
    @property
    def at(self) -> datetime: ...


class PictureCache(Protocol):
    """Remembers attempts, by the SHA-256 of the picture and the describer's name."""

    def find(self, content: str, describer: str) -> Attempt | None: ...

    def begin(self, content: str, describer: str, at: datetime) -> None:
        """An attempt starts; it counts from now on, whatever becomes of it."""

    def finish(
        self, content: str, describer: str, *, description: str | None, refusal: str | None, tokens: int
    ) -> None: ...

    def spent(self, since: datetime) -> tuple[int, int]:
        """Pictures attempted since then, and the tokens they cost."""


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """What may be shown to the model."""

    smallest: int = 32
    """Pixels of the shorter side; below it is an icon or a line, which is left out without a word."""
    side: int = 8_000
    """Pixels."""
    pixels: int = 40_000_000
    size: int = 3_750_000
    """Bytes; as base64 they become 5 MB."""
    run: int = 200
    """Pictures between two calls of `Pictures.begin_run`: a synchronisation waits for each of them."""
    day: int = 1_000
    """Pictures a day (UTC), of all sources."""
    tokens: int = 3_000_000
    """A day (UTC), in and out."""


class Pictures:
    """Puts descriptions into documents. Threads may share it; they ask the model in turns."""

    def __init__(
        self,
        describer: Describer | None,
        cache: PictureCache,
        limits: PictureLimits | None = None,
        *,
        metrics: Metrics | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._describer = describer
        self._cache = cache
        self._limits = limits or PictureLimits()
        self._metrics = metrics or NullMetrics()
        self._clock = clock
        self._monotonic = monotonic
        self._turn = threading.Lock()
        self._asked = 0
        self._pause = _SHORTEST_PAUSE
        self._resume = 0.0

    def begin_run(self) -> None:
        """A synchronisation starts: it may show the model `PictureLimits.run` pictures."""
        with self._turn:
            self._asked = 0

    def described(self, parsed: Parsed) -> Parsed:
        """The file with every picture's mark replaced: by its description, by `[picture not read: NAME]` (and in
        `unread` with the reason), or by nothing for decoration. Places move along, and no pictures are left in it.

        A describer that fails is no error here.
        """
        texts: dict[str, str] = {}
        unread: list[str] = []
        shown: dict[str, str] = {}
        for picture in parsed.pictures:
            name = one_line(clean(picture.name))[:200] or "without a name"
            content = hashlib.sha256(picture.data).hexdigest()
            if content in shown:
                texts[picture.mark] = f"[picture {name}, the same as {shown[content]}]"
                continue
            outcome = self._outcome(picture, content)
            if outcome.reason:
                unread.append(f"picture not read: {name} ({outcome.reason})")
                texts[picture.mark] = f"[picture not read: {name}]"
            elif outcome.text:
                shown[content] = name
                texts[picture.mark] = f"[picture {name}, described by a model: {outcome.text}]"
            else:
                texts[picture.mark] = ""
        return _replaced(parsed, texts, unread) if parsed.pictures else parsed

    def _outcome(self, picture: Picture, content: str) -> "_Outcome":
        seen, limits = bitmap(picture.data), self._limits
        if seen is None:
            return _Outcome(reason="it is no PNG, JPEG, GIF or WebP")
        if min(seen.width, seen.height) < limits.smallest:
            return _Outcome()
        if max(seen.width, seen.height) > limits.side or seen.width * seen.height > limits.pixels:
            return _Outcome(reason=f"it has {seen.width:,} x {seen.height:,} pixels")
        if len(picture.data) > limits.size:
            return _Outcome(reason=f"it has {len(picture.data):,} bytes")
        if self._describer is None:
            return _Outcome(reason="no model for pictures is set up")
        known = self._known(content, self._describer)
        if known is None:
            with self._turn:
                known = self._known(content, self._describer) or self._ask(picture.data, seen, content, self._describer)
        self._metrics.count("crosscheck_pictures_total", outcome="unread" if known.reason else "described")
        return known

    def _known(self, content: str, describer: Describer) -> "_Outcome | None":
        """What an earlier attempt came to; None if it is time for one."""
        attempt = self._cache.find(content, describer.name)
        if attempt is None:
            return None
        if attempt.description is not None:
            return _Outcome(attempt.description)
        if attempt.refusal is not None:
            return _Outcome(reason=attempt.refusal)
        if self._clock() < attempt.at + min(attempt.attempts, _MOST_WAITS) * _WAIT:
            return _Outcome(reason="the model failed on it; it is tried again later")
        return None

    def _ask(self, data: bytes, seen: Bitmap, content: str, describer: Describer) -> "_Outcome":
        if reason := self._may_not():
            return _Outcome(reason=reason)
        self._asked += 1
        self._cache.begin(content, describer.name, self._clock())
        try:
            found = describer.describe(data, seen.media_type)
        except PictureNotRead as error:
            reason = one_line(clean(str(error)))[:200] or "the model gave nothing usable"
            self._cache.finish(content, describer.name, description=None, refusal=reason, tokens=error.tokens)
            return _Outcome(reason=reason)
        except DescriberUnavailable as error:
            self._resume = self._monotonic() + max(self._pause, error.retry_after or 0)
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            return _Outcome(reason="the model does not answer just now")
        self._pause = _SHORTEST_PAUSE
        text = clean(found.text).strip()
        text = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
        self._cache.finish(content, describer.name, description=text, refusal=None, tokens=found.tokens)
        return _Outcome(text)

    def _may_not(self) -> str:
        """Why no picture may be shown to the model now; empty if one may."""
        if self._monotonic() < self._resume:
            return "the model does not answer just now"
        if self._asked >= self._limits.run:
            return "one synchronisation's limit is reached"
        pictures, tokens = self._cache.spent(self._clock().replace(hour=0, minute=0, second=0, microsecond=0))
        if pictures >= self._limits.day or tokens >= self._limits.tokens:
            return "the day's limit is reached"
        return ""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A description, or the reason why there is none; neither for decoration."""

    text: str = ""
    reason: str = ""


def _replaced(parsed: Parsed, texts: Mapping[str, str], unread: Iterable[str]) -> Parsed:
    """The text with its marks replaced. What has no mark in it comes at the end."""
    spots, missing = _spots(parsed.text, texts)
    pieces: list[str] = []
    ends: list[int] = []
    shifts = [0]
    at = 0
    for start, mark in spots:
        text = _fitting(texts[mark], parsed.text, start, start + len(mark))
        pieces += [parsed.text[at:start], text]
        at = start + len(mark)
        ends.append(at)
        shifts.append(shifts[-1] + len(text) - len(mark))

    def moved(start: int) -> int:
        before = bisect_right(ends, start)
        inside = before < len(spots) and spots[before][0] < start
        return (spots[before][0] if inside else start) + shifts[before]

    pieces += [parsed.text[at:], *(f"\n\n{texts[mark]}" for mark in missing if texts[mark])]
    text = "".join(pieces)
    if not text.strip():
        return Parsed("[only a small picture]", (), (*parsed.unread, *unread))
    places = tuple(replace(place, start=moved(place.start)) for place in parsed.places)
    return Parsed(text, places, (*parsed.unread, *unread))


def _spots(text: str, marks: Iterable[str]) -> tuple[list[tuple[int, str]], list[str]]:
    """Where each mark stands, in order and apart from each other, and the marks that stand nowhere."""
    found: list[tuple[int, str]] = []
    missing = []
    at = 0
    for mark in marks:
        spot = text.find(mark, at) if mark else -1  # most come in order
        spot = text.find(mark) if spot < 0 and mark else spot
        if spot < 0:
            missing.append(mark)
            continue
        found.append((spot, mark))
        at = spot + len(mark)
    apart: list[tuple[int, str]] = []
    for spot, mark in sorted(found):
        if apart and spot < apart[-1][0] + len(apart[-1][1]):
            missing.append(mark)
        else:
            apart.append((spot, mark))
    return apart, missing


def _fitting(text: str, around: str, start: int, end: int) -> str:
    """The text as it may stand there: in lines of its own, or in one line among other text, as in a table's cell."""
    line_start = around.rfind("\n", 0, start) + 1
    line_end = around.find("\n", end)
    before, after = around[line_start:start], around[end : len(around) if line_end < 0 else line_end]
    if not before.strip() and not after.strip():
        return text
    flat = "; ".join(line.strip() for line in text.split("\n") if line.strip())
    return flat.replace("|", "\\|") if before.lstrip().startswith("|") else flat
