"""What happens in each situation: people write, and the world changes before the bot reads, or before it posts."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from bots.parts import most
from tests.crosscheck.jira.firm import AWAY, BOT, DEVELOPER, LEAVING, OWNER, OWNERS
from tests.crosscheck.jira.stage import lengthy
from tests.crosscheck.jira.ticket import Act, Stage

LOCKED = "#ask After how many failed sign-in attempts is an account locked?"
SECRET = "The Zephyrine surcharge is 4 euros a crossing."
ASKS_SECRET = "#ask What is the Zephyrine surcharge?"
NOWHERE = "#ask What is the Quibberish surcharge?"
DRESSED = (
    "[~po-1] @po-1 {color:red}red{color} !http://evil.example/x.png! [here|http://evil.example/y] <b>b</b> {quote}"
)
HOSTILE = "The fender winch pulls for 12 minutes and says {}."
HOUR = timedelta(hours=1)


# Questions


def asks(text: str = "#qa-check", by: str = OWNER.id, project: str = "PAY", **shown: Any) -> Act:
    return lambda at: at.open(project).ask(text, by, **shown)


def asks_secret(project: str = "PAY", *, said_to: Mapping[str, Any], **shown: Any) -> Act:
    """Of what somebody said before, to few."""

    def put(at: Stage) -> None:
        at.open(project).say(SECRET, **said_to)
        at.ask(ASKS_SECRET, **shown)

    return put


def several(*texts: str, project: str = "PAY", **shown: Any) -> Act:
    """One after the other in one ticket; what is told of is the last."""

    def put(at: Stage) -> None:
        at.open(project)
        for text in texts:
            at.before += len(at.replies)
            at.ask(text, **shown)

    return put


def all_of(*texts: str) -> Act:
    """One after the other in one ticket."""

    def put(at: Stage) -> None:
        at.open()
        for text in texts:
            at.ask(text)

    return put


def marked_up(markdown: str, wiki: str) -> Act:
    def put(at: Stage) -> None:
        at.open()
        how = {"wiki": wiki} if at.wiki else {"text": markdown}
        at.id = at.jira.add_comment(at.key, OWNER.id, **how)
        at.house.hear(at.house.town.told())
        at.house.work()

    return put


def in_code_first(at: Stage) -> None:
    """The command is shown in code; an edit makes it one."""
    marked_up("Write `#qa-check` to ask.", "Write {{#qa-check}} to ask.")(at)
    at.edit("#qa-check")
    at.house.hear(at.house.town.told())
    at.house.work()


def for_another(text: str) -> Act:
    """`{twin}` is another ticket's key."""

    def put(at: Stage) -> None:
        at.twin = at.jira.clone_issue("PAY-1")
        at.open().ask(text.format(twin=at.twin))

    return put


def hostile(at: Stage) -> None:
    at.open()
    if at.wiki:
        at.say(HOSTILE.format(DRESSED), DEVELOPER.id)
    else:
        text = HOSTILE.format("@[po-1] [the handbook](http://evil.example/y) http://evil.example/z <b>b</b>")
        at.jira.add_comment(at.key, DEVELOPER.id, text)
        at.house.town.told()
    at.ask("#ask For how many minutes does the fender winch pull?")


# Before it is read, or before it is posted


def before(act: Act, text: str = "#qa-check", by: str = OWNER.id, project: str = "PAY", **shown: Any) -> Act:
    """Something happens before the bot has read."""

    def put(at: Stage) -> None:
        at.open(project).put(text, by, **shown)
        act(at)
        at.house.work()

    return put


def between(act: Act, text: str = "#qa-check", by: str = OWNER.id, project: str = "PAY", **shown: Any) -> Act:
    """Something happens when the answer is made, and not posted yet."""

    def put(at: Stage) -> None:
        at.open(project).put(text, by, **shown)
        at.house.think()
        act(at)
        at.house.work()

    return put


def secret_between(act: Act, **shown: Any) -> Act:
    """The same with an answer that only those may read who read the question."""

    def put(at: Stage) -> None:
        at.open().say(SECRET, **shown)
        at.put(ASKS_SECRET, **shown)
        at.house.think()
        act(at)
        at.house.work()

    return put


def at_posting(act: Act, **shown: Any) -> Act:
    """Something happens when the answer is just on its way."""

    def put(at: Stage) -> None:
        at.open().first("POST", "/comment$", act).ask(**shown)

    return put


def deleted(at: Stage) -> None:
    at.jira.delete_comment(at.key, at.id)


def edited(text: str) -> Act:
    return lambda at: at.edit(text)


def shown_to(**kind: Any) -> Act:
    return lambda at: at.jira.set_visibility(at.key, at.id, **kind)


def left_role(at: Stage) -> None:
    at.jira.leave_role(BOT.id, "PAY", OWNERS)
    at.undo.callback(at.jira.join_role, BOT.id, "PAY", OWNERS)


def group_renamed(at: Stage) -> None:
    """Its members are in another one; the comment names the old one still."""
    groups = {one: at.jira.accounts.of(one).groups for one in (BOT.id, OWNER.id)}
    for one, named in groups.items():
        at.jira.set_groups(one, [name.replace("qa-leads", "quality-leads") for name in named])
        at.undo.callback(at.jira.set_groups, one, named)


def moved(project: str) -> Act:
    return lambda at: at.jira.move_issue(at.key, project)


def cloned(at: Stage) -> None:
    at.twin = at.jira.clone_issue(at.key)


def secured(level: str | None) -> Act:
    return lambda at: at.jira.set_security(at.key, level)


def archived(at: Stage) -> None:
    at.jira.archive_issue(at.key)


def project_archived(at: Stage) -> None:
    at.jira.archive_project("PAY")
    at.undo.callback(at.jira.restore_project, "PAY")


def renamed_project(at: Stage) -> None:
    at.jira.rekey_project("PAY", "CASH")
    at.undo.callback(at.jira.rekey_project, "CASH", "PAY")


def ticket_deleted(at: Stage) -> None:
    at.jira.delete_issue(at.key)


def forbidden(permission: str) -> Act:
    def act(at: Stage) -> None:
        at.jira.forbid(BOT.id, "PAY", permission)
        at.undo.callback(at.jira.permit, BOT.id, "PAY", permission)

    return act


def account_deleted(at: Stage) -> None:
    at.jira.delete_user(LEAVING.id)


def account_closed(at: Stage) -> None:
    at.jira.deactivate_user(AWAY.id)


def asker_removed(at: Stage) -> None:
    """From the project: who asks is in none of its roles any more."""
    at.jira.forbid(DEVELOPER.id, "PAY", "BROWSE_PROJECTS")
    at.undo.callback(at.jira.permit, DEVELOPER.id, "PAY", "BROWSE_PROJECTS")


def restricted_first(at: Stage) -> None:
    """In a ticket that only those of a role see."""
    at.open()
    at.jira.set_roles(at.key, [OWNERS])
    at.ask()


def secured_first(act: Act, level: str) -> Act:
    """In a ticket with a security level."""

    def put(at: Stage) -> None:
        at.open()
        at.jira.set_security(at.key, level)
        at.put()
        at.house.think()
        act(at)
        at.house.work()

    return put


# How it is noticed


def edited_later(at: Stage) -> None:
    """The command is added to a comment."""
    at.open()
    at.id = at.say("Good morning.")
    at.edit("Good morning. #qa-check")
    at.house.hear(at.house.town.told())
    at.house.work()


def polled(at: Stage) -> None:
    """Without a webhook."""
    at.open("WEB")
    at.id = at.say("#qa-check")
    at.house.poll()
    at.house.work()
    at.house.town.told()


def twice_noticed(at: Stage) -> None:
    at.open("WEB").ask()
    at.house.poll()
    at.house.work()


def edited_and_polled(at: Stage) -> None:
    """An hour later, without a webhook."""
    at.open("WEB")
    at.id = at.say("Good morning.")
    now = at.jira.now
    at.undo.callback(setattr, at.jira, "now", now)
    at.jira.now = lambda: datetime.now(UTC) + HOUR
    at.house.poll()
    at.edit("Good morning. #qa-check")
    at.house.town.told()
    at.house.poll()
    at.house.work()


def waiting(others: int) -> Act:
    """Others asked before."""

    def put(at: Stage) -> None:
        for _ in range(others):
            at.open().put()
        at.open().ask()

    return put


# When something is broken


def lacking(act: Act, text: str = "#qa-check", by: str = OWNER.id) -> Act:
    """From before the question on."""

    def put(at: Stage) -> None:
        at.open()
        act(at)
        at.ask(text, by)

    return put


def ordered(method: str, path: str, status: int, times: int = 1, body: str | None = None, **headers: str) -> Act:
    """Requests are answered so."""
    return lambda at: at.fault(method, path, "status", times, status=status, body=body, headers=headers)


def wider(at: Stage) -> None:
    """The next comment is shown to more people than asked."""
    at.fault("POST", "/comment$", "wider")


def comes_out_wider(project: str = "PAY", **shown: Any) -> Act:
    def put(at: Stage) -> None:
        at.open(project)
        wider(at)
        at.ask(**shown)

    return put


def jira_down(at: Stage) -> None:
    """Until the question is given up, and back again then."""
    at.open().put()
    ordered("*", "/rest/api/", 503, 10_000)(at)

    def given_up() -> bool:
        view = at.job()
        return view is not None and view.job.state == "failed"

    at.house.work(until=given_up)
    at.house.town.box.faults.clear()
    at.house.work()


def jira_down_for_a_while(at: Stage) -> None:
    at.open().put()
    ordered("*", "/rest/api/", 503, 2)(at)
    at.house.work()


# Sizes


def edge(at: Stage) -> int:
    """Letters that just fit into one comment."""
    client = at.house.program.jira_client
    return most(40_000, lambda letters: len(client.render(lengthy(letters))) <= 1)


def as_long(beyond: int) -> Act:
    """As many letters as fit into one comment, and so many more."""
    return lambda at: at.open().ask(f"#ask {edge(at) + beyond}")
