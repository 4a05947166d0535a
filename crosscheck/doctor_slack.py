"""Slack's part of `crosscheck doctor`: the tokens, what they may do, the way in, and every channel that is named."""

from collections.abc import Iterator
from functools import partial

from bots.errors import BotError, Gone, NotAllowed
from bots.slack.client import SlackClient
from bots.slack.connection import Connection
from bots.slack.scopes import SCOPES
from bots.types import Place
from crosscheck.checks import Check, tried
from crosscheck.errors import BadSettings, CrosscheckError
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_slack import Slack
from crosscheck.slack.parts import slack_client

_SECONDS = 10.0
_MANIFEST = "deploy/slack/manifest.yaml"


def slack_checks(settings: Settings, slack: Slack, secrets: Secrets) -> Iterator[Check]:
    """Every check of Slack that the settings call for. Where the bot's token is not good, no more is asked with it."""
    yield _way_in(slack, secrets)
    advice = "Check slack.site and CROSSCHECK_SLACK_BOT_TOKEN: the Bot User OAuth Token of the app, xoxb-..."
    try:
        client = slack_client(slack, secrets)
    except CrosscheckError as error:
        yield Check("slack token", "failed", str(error), advice)
        return
    try:
        token = tried("slack token", partial(_whoami, client), advice)
        yield token
        if token.state == "ok":
            yield from _with_token(settings, slack, client)
    finally:
        client.close()


def _with_token(settings: Settings, slack: Slack, client: SlackClient) -> Iterator[Check]:
    advice = f"Add them under OAuth & Permissions, as {_MANIFEST} has them, and install the app again."
    yield tried("slack scopes", partial(_scopes, client), advice)
    says = (
        "reading and posting are one token, since a Slack app has only one for its bot; "
        "the scopes are all that it may do"
    )
    yield Check("slack tokens", "ok", says)
    people = sorted(place for place in slack.channels if place[0] in "UW")
    if people:
        yield Check("slack people", "ok", f"labels for direct messages with {', '.join(people)}, not looked up")
    for channel in sorted({*slack.channels, *slack.outside, *slack.follow_ups} - set(people)):
        yield _channel(settings, slack, client, channel)


def _whoami(client: SlackClient) -> str:
    bot = client.whoami()
    return f"the bot {bot.user_id} of {bot.team or bot.team_id} ({bot.url})"


def _scopes(client: SlackClient) -> str:
    held = client.scopes()
    missing = [f"{scope} ({why})" for scope, why in SCOPES.items() if scope not in held]
    if missing:
        raise CrosscheckError(f"The app lacks {'; '.join(missing)}.")
    more = ", ".join(sorted(held - SCOPES.keys()))
    return "all that are needed are held" + (f"; {more} are held too, and not used" if more else "")


def _way_in(slack: Slack, secrets: Secrets) -> Check:
    """How Slack reaches the service."""
    if slack.mode == "http":
        if secrets.slack_signing_secret is None:
            says = "CROSSCHECK_SLACK_SIGNING_SECRET is not set: nothing that Slack sends is believed."
            return Check("slack http", "failed", says, "Set it: Basic Information, App Credentials, Signing Secret.")
        says = "signatures are checked; enter /webhooks/slack for events, interactivity and the command in the app"
        return Check("slack http", "ok", says)
    advice = (
        "Check CROSSCHECK_SLACK_APP_TOKEN: an app-level token (xapp-...) with the scope connections:write, from Basic "
        "Information, App-Level Tokens; and that Socket Mode is on in the app."
    )
    return tried("slack socket", partial(_socket, slack, secrets), advice)


def _socket(slack: Slack, secrets: Secrets) -> str:
    """Asks for an address to connect to, and does not connect: a connection would take events from the service."""
    try:
        connection = Connection(secrets.need("slack_app_token"), slack.site, timeout=_SECONDS)
    except ValueError as error:
        raise BadSettings(f"Slack: {error}.") from error
    try:
        connection.ask("apps.connections.open", {}, what="open a connection", writes=True)
    except NotAllowed as error:
        raise CrosscheckError("Slack does not accept the app's own token for a connection.") from error
    finally:
        connection.close()
    return "a connection can be opened"


def _channel(settings: Settings, slack: Slack, client: SlackClient, channel: str) -> Check:
    name = f"slack channel {channel}"
    try:
        place = client.place(channel)
    except Gone as gone:
        do = "Invite the bot to the channel (/invite @Crosscheck), or take it out of the [slack] table."
        return Check(name, "failed", f"{gone}.", do)
    except BotError as error:
        return Check(name, "failed", str(error), "Try again; until then nothing is known of the channel.")
    found = _pointless(settings, slack, place)
    if found:
        return Check(name, "warning", f"{place.key} {found[0]}", found[1])
    return Check(name, "ok", f"{place.key}, {'closed' if place.closed else 'public'}, the bot is in it")


def _pointless(settings: Settings, slack: Slack, place: Place) -> tuple[str, str] | None:
    """What of the channel's settings has another effect than somebody may think, and what to do."""
    mapped, allowed = place.id in slack.channels, place.id in slack.outside
    if allowed:
        if not place.customers:
            return "is in slack.outside, and nobody from outside is in it.", "Take it out of slack.outside."
        if mapped:
            says = "is in slack.outside, so the labels mapped to it have no effect: only audience.outsiders counts."
            return says, "Take it out of slack.channels."
        if not settings.audience.outsiders:
            says = "is in slack.outside, and audience.outsiders is empty: answers there use what is said there alone."
            return says, "Add the labels made for people from outside to audience.outsiders."
    elif place.customers:
        says = "has guests or people of another company in it: the bot only says there that it does not answer."
        return says, "Add it to slack.outside to answer with audience.outsiders alone, or take it out of the settings."
    elif mapped and not place.closed:
        says = "is public, so the labels mapped to it have no effect: the whole organisation reads it."
        return says, "Take it out of slack.channels, or make the channel private."
    return None
