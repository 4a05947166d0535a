"""The last word on each migration: what its tool says and what Git says of its file, put together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from core.mirror import Mirror
from core.schema.files import Files
from core.schema.migration import Draft, Migration
from core.schema.past import Past, Written
from core.schema.types import State, Step
from core.types import Locator

_DAY = timedelta(hours=14)
"""How far a time without a zone may be off: the largest offset that there is."""
_ASKED = 200
"""Files whose earlier versions are looked at."""
_APPLIED: frozenset[State] = frozenset({"applied", "out of order"})


class Steps:
    """Makes steps of drafts. `locate` gives the place of a file by its path."""

    def __init__(
        self, mirror: Mirror, files: Files, past: Mapping[str, Past], locate: Callable[[str], Locator]
    ) -> None:
        self._mirror = mirror
        self._files = files
        self._past = past
        self._locate = locate
        self._left = _ASKED

    def of(self, draft: Draft) -> Step:
        """Raises SourceUnavailable."""
        step = Step(draft.id, draft.title, draft.state, draft.at, notes=draft.notes)
        item = draft.migration
        if item is None:
            return step
        past = self._past.get(item.path, Past())
        step = replace(
            step,
            touched=item.contents.touched,
            tickets=past.tickets,
            commit=past.commit,
            locator=self._locate(item.path),
            notes=(*draft.notes, *item.contents.notes),
        )
        return self._compared(step, draft, item, past)

    def _compared(self, step: Step, draft: Draft, item: Migration, past: Past) -> Step:
        """With what is known of changes after it was applied."""
        if step.state == "edited" and draft.at is not None:
            later = _after(past.changes, draft.at)
            return _noted(step, f"Its file was changed on {_day(later[0])}, after it was applied.") if later else step
        if step.state not in _APPLIED or draft.compared or not past.changes:
            return step
        if draft.at is None:
            said = f"Its file was last changed on {_day(past.changes[0])}; whether it was applied before is not known."
            return _noted(step, said) if self._differs(item, past.changes[-1]) else step
        later = _after(past.changes, draft.at - (timedelta() if draft.exact else _DAY))
        if not later or not self._differs(item, later[-1]):
            return step
        if not draft.exact and not _after(past.changes, draft.at + _DAY):
            return _noted(step, f"Its file was changed on {_day(later[0])}, about when it was applied.")
        if draft.reruns:
            step = _noted(step, f"Its file was changed on {_day(later[0])}: it runs again.")
            return replace(step, state="pending")
        return replace(_noted(step, f"Its file was changed on {_day(later[0])}, after it was applied."), state="edited")

    def _differs(self, item: Migration, first: Written) -> bool:
        """Whether the file is another now than it was before a commit."""
        self._left -= 1
        if self._left < 0 or not first.parent:
            return self._left < 0
        before = self._mirror.entry(first.parent, first.before)
        if before is None:
            return False
        if before.blob == self._files.blob(item.path):
            return False
        if item.part is None:
            return True
        now = self._files.read([item.path]).get(item.path, b"")
        return item.part(now) != item.part(next(iter(self._mirror.blobs([before])), b""))


def _after(changes: Sequence[Written], at: datetime) -> list[Written]:
    return [change for change in changes if change.at > at]


def _day(change: Written) -> str:
    return change.at.date().isoformat()


def _noted(step: Step, note: str) -> Step:
    return replace(step, notes=(*step.notes, note))
