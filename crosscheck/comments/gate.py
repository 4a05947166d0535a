"""Who may ask, and how often: looked at before anything is read for an answer."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from bots.types import Trigger
from crosscheck.admission import Admission, TooMuch, person_of, place_of
from crosscheck.comments.surface import Surface
from crosscheck.dismissing import SKEW
from crosscheck.memory import Memory
from crosscheck.replies import Reply, refusal
from crosscheck.settings_commands import Commands
from crosscheck.types import Request
from review.dismissal import parse_dismissal
from state.types import Claim


class Gate:
    """The settings' limits on asking in comments."""

    def __init__(self, commands: Commands, memory: Memory, clock: Callable[[], datetime], admission: Admission) -> None:
        self._commands = commands
        self._memory = memory
        self._clock = clock
        self._admission = admission

    def too_much(self, claim: Claim, trigger: Trigger) -> TooMuch | None:
        """Whether the person, or the project or space, has asked too much. To set findings aside is no question."""
        if trigger.command in self._commands.review and parse_dismissal(trigger.argument) is not None:
            return None
        called = trigger.place.container
        return self._admission.too_much(claim, person=person_of(trigger), place=place_of(trigger), called=called)

    def stranger(self, surface: Surface, request: Request) -> Reply | None:
        """The reply to somebody who may not ask. Raises BotError when it cannot be told who that is."""
        groups, roles = self._commands.groups, self._commands.roles
        if not (groups or roles):
            return None
        trigger = request.trigger
        if surface.client.belongs(trigger.place, trigger.author_id, groups, roles):
            return None
        named = [f"in the group {name}" for name in groups]
        named += [f"with the role {name}" for name in roles if surface.kind == "ticket"]  # pages know no roles
        if not named:
            return refusal("Nobody may ask on pages here yet: an administrator has to name groups (commands.groups).")
        return refusal(
            f"Crosscheck answers people {' or '.join(named)} here. Ask one of them to write the command, or have an "
            "administrator add you."
        )

    def too_soon(self, request: Request) -> Reply | None:
        """The reply to a review that is asked for again within the cool-down, where the last one was shown."""
        pause = timedelta(minutes=self._commands.cooldown_minutes)
        if not pause:
            return None
        last = self._memory.last(request.document_id, request.audience.labels, request.trigger.created + SKEW)
        now = self._clock()
        if last is None or now - last.told_at >= pause:
            return None
        ago = max(1, round((now - last.told_at) / timedelta(minutes=1)))
        again = (last.told_at + pause).astimezone(UTC)
        return refusal(
            f"This was reviewed {ago} {'minute' if ago == 1 else 'minutes'} ago; the review stands in an earlier "
            f"comment. It can be reviewed again from {again:%H:%M} UTC on."
        )
