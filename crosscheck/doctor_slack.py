"""Slack's part of `crosscheck doctor`: the tokens, what they may do, the way in, and every channel that is named."""

from collections.abc import Iterator
from functools import partial

from bots.errors import BotError, Gone, NotAllowed
from bots.slack.client import SlackClient
from bots.slack.connection import Connection
from bots.slack.scopes import SCOPES
from bots.types import Place
from crosscheck.checks import Check, sentence, tried
from crosscheck.errors import BadSettings, CrosscheckError
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_slack import Slack
from crosscheck.slack.parts import slack_client
from crosscheck.tokens import fault

_SECONDS = 10.0
_MANIFEST = "deploy/slack/manifest.yaml"
_UNREACHED = (
    "Check slack.site, the network of this host, and a proxy or firewall between it and Slack; the token was not tried."
)


def slack_checks(settings: Settings, slack: Slack, secrets: Secrets) -> Iterator[Check]:
    """Every check of Slack that the settings call for. Where the bot's token is not good, no more is asked with it."""
    yield _way_in(slack, secrets)
    advice = "Check CROSSCHECK_SLACK_BOT_TOKEN: the Bot User OAuth Token of the app, xoxb-..."
    try:
        client = slack_client(slack, secrets)
    except CrosscheckError as error:
        yield Check("slack token", "failed", str(error), advice)
        return
    try:
        token = tried("slack token", partial(_whoami, client), advice, unreached=_UNREACHED)
        yield token
        if token.state == "ok":
            yield from _with_token(settings, slack, client)
    finally:
        client.close()


def _with_token(settings: Settings, slack: Slack, client: SlackClient) -> Iterator[Check]:
    advice = f"Add them under OAuth & Permissions, as {_MANIFEST} has them, and install the app again."
    yield tried("slack scopes", partial(_scopes, client), advice, unreached=_UNREACHED)
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
        if found := fault("slack_signing_secret", secrets.wanted("slack_signing_secret")):
            says = f"CROSSCHECK_SLACK_SIGNING_SECRET {found}."
            return Check("slack http", "failed", says, "Set it to the Signing Secret under App Credentials.")
        says = (
            "the signing secret is set, and cannot be tried from here: where it is wrong, the log says `refused`; "
            "enter /webhooks/slack for events, interactivity and the command in the app"
        )
        return Check("slack http", "ok", says)
    advice = (
        "Check CROSSCHECK_SLACK_APP_TOKEN: an app-level token (xapp-...) with the scope connections:write, from Basic "
        "Information, App-Level Tokens; and that Socket Mode is on in the app."
    )
    return tried("slack socket", partial(_socket, slack, secrets), advice, unreached=_UNREACHED)


def _socket(slack: Slack, secrets: Secrets) -> str:
    """Asks for an address to connect to, and does not connect: a connection would take events from the service."""
    try:
        connection = Connection(secrets.need("slack_app_token"), slack.site, timeout=_SECONDS)
    except ValueError as error:
        raise BadSettings(f"Slack: {error}.") from error
    try:
        connection.ask("apps.connections.open", {}, what="open a connection")
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
        return _out_of_reach(client, channel, gone)
    except BotError as error:
        return Check(name, "failed", sentence(str(error)), "Try again; until then nothing is known of the channel.")
    if found := list(_pointless(settings, slack, place)):
        says = " ".join(f"{place.key} {one}" for one, _ in found)
        return Check(name, "warning", says, " ".join(do for _, do in found))
    return Check(name, "ok", f"{place.key}, {'closed' if place.closed else 'public'}, the bot is in it")


def _out_of_reach(client: SlackClient, channel: str, gone: Gone) -> Check:
    """A channel that the bot cannot speak in: of an open one Slack tells more to who is not in it."""
    name = f"slack channel {channel}"
    if channel.startswith("D"):
        do = "Put the person's id (U0123...) into slack.channels instead; a direct message is nothing to be invited to."
        return Check(name, "failed", f"There is no direct message {channel} with the bot.", do)
    invite = "Invite the bot to the channel (/invite @Crosscheck), or take it out of the [slack] table."
    try:
        place = client.place(channel, member=False)
    except Gone as error:
        if "archived" in str(error):
            do = "Take it out of the [slack] table, or unarchive it and invite the bot (/invite @Crosscheck)."
            return Check(name, "failed", sentence(str(error)), do)
        says = f"Slack shows the bot no channel {channel}: there is none, or it is private and the bot is not in it."
        return Check(name, "failed", says, invite)
    except BotError:
        return Check(name, "failed", sentence(str(gone)), invite)
    return Check(name, "failed", f"The bot is not in the channel {place.key}.", invite)


def _pointless(settings: Settings, slack: Slack, place: Place) -> Iterator[tuple[str, str]]:
    """What of the channel's settings has another effect than somebody may think, and what to do."""
    mapped, allowed = place.id in slack.channels, place.id in slack.outside
    if allowed and not place.customers:
        yield "is in slack.outside, and nobody from outside is in it.", "Take it out of slack.outside."
    if place.customers and allowed:
        if mapped:
            says = "is in slack.outside, so the labels mapped to it have no effect: only audience.outsiders counts."
            yield says, "Take it out of slack.channels."
        if not settings.audience.outsiders:
            says = "is in slack.outside, and audience.outsiders is empty: answers there use what is said there alone."
            yield says, "Add the labels made for people from outside to audience.outsiders."
    elif place.customers:
        says = "has guests or people of another company in it: the bot only says there that it does not answer."
        yield says, "Add it to slack.outside to answer with audience.outsiders alone, or take it out of the settings."
    elif mapped and not place.closed:
        says = "is public, so the labels mapped to it have no effect: the whole organisation reads it."
        yield says, "Take it out of slack.channels, or make the channel private."
