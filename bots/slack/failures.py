"""What an answer of Slack that is no success means to us. No I/O.

The error codes are those of the methods' own pages, https://docs.slack.dev/reference/methods.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from bots.errors import BotError, Gone, NotAllowed, Rejected, Unavailable, Uncertain
from bots.text import one_line

_LONGEST_WAIT = 3600.0

_GONE = {
    "channel_not_found": "the channel is not there, or the bot was removed from it",
    "not_in_channel": "the bot was removed from the channel",
    "is_archived": "the channel is archived",
    "message_not_found": "the message was deleted",
    "thread_not_found": "the thread was deleted",
    "user_not_found": "the person is not there",
    "user_not_visible": "the person is not there for the bot to see",
    "users_not_found": "the person is not there",
    "file_not_found": "the file was deleted",
    "file_deleted": "the file was deleted",
    "expired_trigger_id": "the time for it is over",
    "exchanged_trigger_id": "it was done already",
    "trigger_exchanged": "it was done already",
    "trigger_expired": "the time for it is over",
    "expired_url": "the time for it is over",
    "used_url": "it was done as often as Slack allows",
}
_NOT_ALLOWED = {
    "invalid_auth": "Slack does not accept the bot's token",
    "not_authed": "Slack does not accept the bot's token",
    "token_revoked": "the bot's token was revoked",
    "token_expired": "the bot's token has expired",
    "account_inactive": "the bot's token belongs to an app or a workspace that is not there any more",
    "not_allowed_token_type": "the token is of the wrong kind; it takes a bot's token (xoxb-)",
    "no_permission": "the workspace does not let the bot do that",
    "access_denied": "the workspace does not let the bot do that",
    "ekm_access_denied": "an administrator has suspended it",
    "org_login_required": "the workspace is being moved into an organisation",
    "team_access_not_granted": "the token is not meant for this workspace",
    "not_allowed": "the workspace does not let the bot do that",
    "method_not_supported_for_channel_type": "Slack does not offer it in channels of this kind",
}
_NOT_ALLOWED_PREFIX = ("restricted_action", "cant_", "posting_to_")
_LATER = frozenset({"ratelimited", "rate_limited"})
# Not acted on, and may be asked again: the request did not arrive whole; the workspace is being moved.
_NOT_NOW = frozenset({"request_timeout", "team_added_to_org"})
# "It's possible some aspect of the operation succeeded before the error was raised."
_UNDECIDED = frozenset({"internal_error", "fatal_error", "service_unavailable"})
_CODE = re.compile(r"[a-z0-9_]{1,60}")
_SCOPES = re.compile(r"[a-z.:,_ ]{1,200}")
_POINTER = re.compile(r"json-pointer:(/[\w/]{1,80})")


def failure(
    status: int, headers: Mapping[str, str], payload: Mapping[str, Any], *, what: str, writes: bool
) -> BotError:
    """The error for an answer that is no success. `what` completes "Slack refused to ..."; headers are in lower case.

    Nothing of the answer is repeated but the code, the scopes and the places it names: it may quote the message.
    """
    code = code_of(payload)
    if status == 429 or code in _LATER:
        return Unavailable(f"Slack could not {what} yet: it asks to wait", retry_after=retry_after(headers))
    if status >= 500 or code in _UNDECIDED or not code:
        return _undecided(status, headers, f" ({code})" if code else f" ({status})", what=what, writes=writes)
    if code in _NOT_NOW:
        return Unavailable(f"Slack could not {what} ({code})")
    if code in _GONE:
        return Gone(f"Slack could not {what}: {_GONE[code]}")
    if code == "missing_scope":
        return NotAllowed(f"Slack refused to {what}: the app lacks the scope {_scopes(payload)}")
    if code in _NOT_ALLOWED:
        return NotAllowed(f"Slack refused to {what}: {_NOT_ALLOWED[code]}")
    if code.startswith(_NOT_ALLOWED_PREFIX):
        return NotAllowed(f"Slack refused to {what} ({code})")
    return Rejected(f"Slack refused to {what} ({code}){_places(payload)}")


def undecided(what: str, reason: str, *, writes: bool) -> BotError:
    """The error for a request of which it is not known whether it was acted on."""
    if writes:
        return Uncertain(f"Slack was to {what}, but {reason}")
    return Unavailable(f"Slack could not {what}: {reason}")


def code_of(payload: Mapping[str, Any]) -> str:
    """The error's name; empty when there is none that looks like one."""
    code = payload.get("error")
    return code if isinstance(code, str) and _CODE.fullmatch(code) else ""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait; None when Slack does not say, or says nonsense."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return min(max(seconds, 0.0), _LONGEST_WAIT) if math.isfinite(seconds) else None


def _undecided(status: int, headers: Mapping[str, str], code: str, *, what: str, writes: bool) -> BotError:
    elsewhere = 300 <= status < 400
    reason = f"it sends the bot elsewhere{code}; is the site's address right?" if elsewhere else f"it failed{code}"
    error = undecided(what, reason, writes=writes)
    error.retry_after = retry_after(headers)
    return error


def _scopes(payload: Mapping[str, Any]) -> str:
    needed = payload.get("needed")
    return needed if isinstance(needed, str) and _SCOPES.fullmatch(needed) else "that this takes"


def _places(payload: Mapping[str, Any]) -> str:
    """Where in the request Slack sees the mistake."""
    told = payload.get("response_metadata")
    messages = told.get("messages") if isinstance(told, Mapping) else None
    text = " ".join(m for m in messages if isinstance(m, str)) if isinstance(messages, list) else ""
    found = _POINTER.findall(text)
    return one_line(f": {', '.join(found)}", 200) if found else ""
