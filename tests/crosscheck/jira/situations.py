"""The situations in which people ask in Jira, and what is seen in each: word for word where it is short."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.crosscheck.jira.firm import AGENTS, AWAY, DEVELOPER, DEVELOPERS, LEAVING, LEVEL, OWNERS, OWNERS_NOW, TESTER
from tests.crosscheck.jira.firm import TESTERS as BOT_LACKS
from tests.crosscheck.jira.making import (
    ASKS_SECRET,
    LOCKED,
    NOWHERE,
    Stage,
    account_closed,
    account_deleted,
    all_of,
    archived,
    as_long,
    asker_removed,
    asks,
    asks_secret,
    at_posting,
    before,
    between,
    cloned,
    comes_out_wider,
    deleted,
    edited,
    edited_and_polled,
    edited_later,
    for_another,
    forbidden,
    group_renamed,
    hostile,
    jira_down,
    jira_down_for_a_while,
    lacking,
    left_role,
    marked_up,
    moved,
    ordered,
    polled,
    project_archived,
    renamed_project,
    secret_between,
    secured,
    secured_first,
    several,
    shown_to,
    ticket_deleted,
    twice_noticed,
    waiting,
)
from tests.crosscheck.jira.stage import CLOUD, DATA_CENTER, FLAVOURS, Flavour


@dataclass(frozen=True, slots=True)
class About:
    """A comment that is too long for the table."""

    told: str
    """What it is."""
    holds: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


Words = str | About
"""`{key}` is the ticket's key when it was asked in, `{twin}` another ticket's, `{id}` the question's number."""


@dataclass(frozen=True, slots=True)
class Situation:
    """`put` makes it happen in a ticket."""

    name: str
    put: Callable[[Stage], object]
    comments: tuple[Words, ...] = ()
    """What the bot wrote in the ticket, and what of it stands there in the end."""
    audience: str = ""
    """Who sees these comments, beyond who sees the ticket."""
    record: str = ""
    """What the list of jobs says of it; empty where all went well, and where there is no job."""
    files: tuple[str, ...] = ()
    """The bot's files at the ticket."""
    on: tuple[Flavour, ...] = FLAVOURS
    house: str = "usual"


REVIEW = About("The review.", ("{key}: 2 points to settle", "What happens after midnight is TBD"))
AGAIN = About("A review that says what changed since.", ("2 points to settle", "Since the last review"))
POLICY = "A passenger's account is locked after 5 failed sign-in attempts in a row."
ANSWER = About("The answer with its sources.", (POLICY, "Account policy"))
TOLD = About("The answer, from the comment.", ("The Zephyrine surcharge is 4 euros a crossing.", "Sources"))
DRAFT = About("The draft, and its file at the ticket.", ("{key}: 4 test cases drafted", "An export without a date"))
NO_FILE = (
    "The file is not attached: everybody who sees the ticket sees its files, and this comment is for fewer people. Ask "
    "in a comment without a restriction."
)
DRAFT_ALONE = About(f"The draft, and at its end: “{NO_FILE}”", (*DRAFT.holds, NO_FILE))
GO_ON = " Write #test-cases alone for a draft; then #test-cases add …, #test-cases drop 4 or #test-cases as csv to go on with it."
HELP = (
    "Write in a comment: #qa-check: what is missing, undecided or in conflict here #ask and a question: an answer from "
    "tickets, policies and code #test-cases: a draft of test cases"
)
OTHER_HELP = HELP.replace("#qa-check", "#proof").replace("#ask", "#frage").replace("#test-cases", "#test-ideas")
ASK_INTERNALLY = (
    "Customers can read this comment, and nothing that Crosscheck may show them says more than the ticket itself. "
    "Ask again in an internal comment."
)
STRANGER = (
    "Crosscheck answers people with the group qa-leads or the role Testers here. Ask somebody who has it to write the "
    "command, or have an administrator add you."
)
QUEUED = "2 requests came before this one and wait as well. The answer comes here, as a comment."
XLSX, CSV = "{key}-test-cases.xlsx", "{key}-test-cases.csv"


def nothing(question: str) -> About:
    told = f"I found nothing that everybody here may see about “{question.removeprefix('#ask ')}”."
    return About(f"“{told}”, and the nearest titles where there are any.", (told, "Nothing was found"), ("euros",))


def no_ticket(key: str) -> str:
    return f"There is no ticket {key} that everybody who can read this reply may read."


def failed(reason: str, times: int = 5) -> str:
    return (
        f"This could not be answered. Reason: {reason} It was tried {times} times. Write the command in a new comment "
        "to ask again; an administrator can see the details in the list of jobs."
    )


NOT_ALLOWED = failed("Crosscheck's own account may not read what it needs here. An administrator has to allow it.")
NO_ANSWER = failed("A system that Crosscheck works with did not answer as it should.")
HIDDEN = "Jira could not show comment {id} of ticket {number}: it is not there, or not for the bot to see"
NO_TICKET = "Jira could not show ticket {number}: it is not there, or not for the bot to see"
WORD_GONE = "the comment holds no command (any more)"

COMMANDS = (
    Situation("`#qa-check`", asks(), (REVIEW,)),
    Situation("The same again", several("#qa-check", "#qa-check"), (AGAIN,)),
    Situation(
        "`#qa-check dismiss 2: agreed with sales`, after a review",
        several("#qa-check", "#qa-check dismiss 2: agreed with sales"),
        (About("That the point is set aside, with the reason.", ("agreed with sales",)),),
    ),
    Situation("`#ask` and a question", asks(LOCKED), (ANSWER,)),
    Situation(
        "The same over several lines", asks("Hello,\n#ask After how many failed\nsign-in attempts\nis an account locked?"),
        (ANSWER,),
    ),
    Situation("Nothing is found", asks(NOWHERE), (nothing(NOWHERE),)),
    Situation("`#ask` and nothing", asks("#ask"), (HELP,)),
    Situation("In a quote", marked_up("> #qa-check\n\nWhat is this?", "{quote}#qa-check{quote}\nWhat is this?")),
    Situation("In code", marked_up("Write `#qa-check` to ask.", "Write {{#qa-check}} to ask.")),
    Situation(
        "In a link",
        marked_up("[#qa-check](http://firm.example/help)", "[#qa-check|http://firm.example/help]"),
    ),
    Situation("An administrator chose other words: one of these", asks("#proof"), (REVIEW,), house="words"),
    Situation("A second one of these, in capitals", asks("#PRÜFUNG"), (REVIEW,), house="words"),
    Situation("One of these and nothing", asks("#frage"), (OTHER_HELP,), house="words"),
    Situation("The word that is not one any more", asks("#qa-check"), house="words"),
)

CASES = (
    Situation("`#test-cases`", asks("#test-cases"), (DRAFT,), files=(XLSX,)),
    Situation("`#test-cases for this ticket`", asks("#test-cases for this ticket"), (DRAFT,), files=(XLSX,)),
    Situation(
        "`#test-cases` with another ticket's key",
        for_another("#test-cases {twin}"),
        (About("The draft for that ticket, and its file at this one.", ("{twin}: 4 test cases drafted",)),),
        files=("{twin}-test-cases.xlsx",),
    ),
    Situation(
        "`#test-cases for PAY-9999`, which is not there", asks("#test-cases for PAY-9999"), (no_ticket("PAY-9999"),)
    ),
    Situation("`#test-cases as csv`", asks("#test-cases as csv"), (DRAFT,), files=(CSV,)),
    Situation("An administrator chose CSV: `#test-ideas`", asks("#test-ideas"), (DRAFT,), files=(CSV,), house="words"),
    Situation(
        "`#test-cases drop 4`, after a draft",
        several("#test-cases", "#test-cases drop 4"),
        (About("The next version, and its file beside the first.", ("{key}, version 2 (1 dropped): 3 test cases",)),),
        files=(XLSX, "{key}-test-cases-2.xlsx"),
    ),
    Situation(
        "`#test-cases add the boundary of 30 days`, after a draft",
        several("#test-cases", "#test-cases add the boundary of 30 days"),
        (About("The next version, likewise.", ("{key}, version 2 (3 added): 7 test cases", "30 days (at the limit)")),),
        files=(XLSX, "{key}-test-cases-2.xlsx"),
    ),
    Situation(
        "`#test-cases as csv`, after a draft",
        several("#test-cases", "#test-cases as csv"),
        (About("That it is the same draft, and the other file.", ("{key}: 4 test cases drafted",)),),
        files=(XLSX, CSV),
    ),
    Situation(
        "`#test-cases drop 99`, after a draft",
        several("#test-cases", "#test-cases drop 99"),
        (About("That there is no such case.", ("There is no case 99; the draft has cases 1 to 4.",)),),
        files=(XLSX,),
    ),
    Situation(
        "`#test-cases drop 4` without a draft",
        asks("#test-cases drop 4"),
        ("There is no draft of test cases here yet that everybody who reads this comment was shown." + GO_ON,),
    ),
    Situation(
        "`#test-cases drop 4`, when the draft was for fewer people",
        lambda at: (at.open().ask("#test-cases", role=OWNERS), setattr(at, "before", 1), at.ask("#test-cases drop 4")),
        ("There is no draft of test cases here yet that everybody who reads this comment was shown." + GO_ON,),
    ),
    Situation(
        "`#test-cases blue elephants`",
        asks("#test-cases blue elephants"),
        ("I do not understand what to do with the test cases." + GO_ON,),
    ),
    Situation(
        "`#test-cases as pdf`",
        asks("#test-cases as pdf"),
        (
            "I make files of these kinds: xlsx, csv, gherkin, testrail, xray, zephyr. For example: “as csv”." + GO_ON,
        ),
    ),
    Situation(
        "`#test-cases` in a comment for a role", asks("#test-cases", role=OWNERS), (DRAFT_ALONE,), f"role {OWNERS}"
    ),
)

READERS = (
    Situation("A comment for a role", asks(role=OWNERS), (REVIEW,), f"role {OWNERS}"),
    Situation("A comment for a group", asks(group="qa-leads"), (REVIEW,), "group qa-leads"),
    Situation(
        "A comment for a role asks what was said to that role",
        asks_secret(said_to={"role": OWNERS}, role=OWNERS),
        (TOLD,),
        f"role {OWNERS}",
    ),
    Situation(
        "A comment for everybody asks the same", asks_secret(said_to={"role": OWNERS}), (nothing(ASKS_SECRET),)
    ),
    Situation(
        "A comment for another role asks the same",
        asks_secret(said_to={"role": OWNERS}, role=DEVELOPERS),
        (nothing(ASKS_SECRET),),
        f"role {DEVELOPERS}",
    ),
    Situation("A comment for a role that the bot is not in", asks(by=TESTER.id, role=BOT_LACKS), record=HIDDEN),
    Situation("A comment for a group that the bot is not in", asks(by=TESTER.id, group="testers"), record=HIDDEN),
    Situation(
        "The bot is taken out of the role before it has posted", between(left_role, role=OWNERS), record=HIDDEN
    ),
    Situation(
        "The same in the moment in which it posts",
        at_posting(left_role, role=OWNERS),
        record="Jira refused to show the comment to these people only (400): You are currently not a member of the "
        "project role: Product owners.",
    ),
    Situation("The comment is limited to a role before the bot has read", before(shown_to(role=OWNERS)), (REVIEW,), f"role {OWNERS}"),
    Situation(
        "The comment is limited to a role before the bot has posted", between(shown_to(role=OWNERS)), (REVIEW,), f"role {OWNERS}"
    ),
    Situation(
        "The comment is opened to everybody before the bot has posted, the answer rests on what few may read",
        secret_between(shown_to(), role=OWNERS),
        (nothing(ASKS_SECRET),),
    ),
    Situation(
        "The same, from one role to another",
        secret_between(shown_to(role=DEVELOPERS), role=OWNERS),
        (nothing(ASKS_SECRET),),
        f"role {DEVELOPERS}",
    ),
    Situation(
        "The role is renamed before the bot has posted",
        between(shown_to(role=OWNERS_NOW), role=OWNERS),
        (REVIEW,),
        f"role {OWNERS_NOW}",
        on=(DATA_CENTER,),
    ),
    Situation(
        "The group is renamed before the bot has posted, and the comment still names the old one",
        between(group_renamed, group="qa-leads"),
        record=HIDDEN,
        on=(DATA_CENTER,),
    ),
    Situation(
        "The ticket is given a security level before the bot has posted", between(secured(LEVEL)), (REVIEW,)
    ),
    Situation("It loses its security level before the bot has posted", secured_first(secured(None), LEVEL), (REVIEW,)),
    Situation(
        "Jira shows the answer to more people than asked",
        comes_out_wider(role=OWNERS),
        record="Jira showed a comment in {key} to more people than asked. It was deleted.",
    ),
)

SERVICE = (
    Situation("`#qa-check` in a comment for customers", asks(project="HELP"), (ASK_INTERNALLY,)),
    Situation("`#ask` in a comment for customers", asks(LOCKED, project="HELP"), (ASK_INTERNALLY,)),
    Situation("`#test-cases` in a comment for customers", asks("#test-cases", project="HELP"), (ASK_INTERNALLY,)),
    Situation(
        "`#ask` in a comment for customers, and something is made for outsiders",
        asks(LOCKED, project="HELP"),
        (ANSWER,),
        house="outsiders",
    ),
    Situation(
        "`#ask` in a comment for customers, and what is made for outsiders does not say it",
        asks(NOWHERE, project="HELP"),
        (ASK_INTERNALLY,),
        house="outsiders",
    ),
    Situation("`#qa-check` in an internal note", asks(project="HELP", internal=True), (REVIEW,), "internal"),
    Situation("`#ask` in an internal note", asks(LOCKED, project="HELP", internal=True), (ANSWER,), "internal"),
    Situation(
        "`#test-cases` in an internal note", asks("#test-cases", project="HELP", internal=True), (DRAFT_ALONE,), "internal"
    ),
    Situation(
        "`#qa-check` in a comment for a role, which customers see all the same",
        asks(project="HELP", role=AGENTS),
        (ASK_INTERNALLY,),
        f"role {AGENTS}",
    ),
    Situation(
        "`#qa-check` in an internal note for a role",
        asks(project="HELP", role=AGENTS, internal=True),
        (REVIEW,),
        f"role {AGENTS}, internal",
    ),
    Situation(
        "An internal note asks what was said in an internal note",
        asks_secret("HELP", said_to={"internal": True}, internal=True),
        (TOLD,),
        "internal",
    ),
    Situation(
        "A comment for customers asks the same",
        asks_secret("HELP", said_to={"internal": True}),
        (ASK_INTERNALLY,),
    ),
    Situation(
        "The internal note is shown to customers before the bot has posted",
        between(shown_to(), project="HELP", internal=True),
        (ASK_INTERNALLY,),
    ),
    Situation(
        "The comment for customers is made internal before the bot has posted",
        between(shown_to(internal=True), project="HELP"),
        (ASK_INTERNALLY,),
        "internal",
    ),
    Situation(
        "Jira shows the answer to an internal note to customers",
        comes_out_wider("HELP", internal=True),
        record="Jira showed a comment in {key} to more people than asked. It was deleted.",
    ),
)

PEOPLE = (
    Situation("Somebody of the group asks", asks(), (REVIEW,), house="members"),
    Situation("Somebody with the role asks", asks(by=TESTER.id), (REVIEW,), house="members"),
    Situation("Somebody else asks", asks(by=DEVELOPER.id), (STRANGER,), house="members"),
    Situation(
        "The bot may not look up groups",
        lacking(ordered("GET", "/user(/groups)?$", 403, 99)),
        (NOT_ALLOWED,),
        record="Jira refused to tell the groups of somebody (403); it takes the permission {groups}: Internal server error",
        house="members",
    ),
    Situation(
        "The bot may not look up roles",
        lacking(forbidden("ADMINISTER_PROJECTS"), by=TESTER.id),
        (NOT_ALLOWED,),
        record="Jira did not tell who has a role in PAY; it takes the permission Administer projects",
        house="members",
    ),
    Situation(
        "`#qa-check` again within the cool-down",
        several("#qa-check", "#qa-check"),
        (
            About(
                "“This was reviewed 1 minute ago; the review stands in an earlier comment. It can be reviewed again "
                "from 14:30 UTC on.”",
                ("This was reviewed 1 minute ago; the review stands in an earlier comment. It can be reviewed again",),
            ),
        ),
        house="cool-down",
    ),
    Situation("`#ask` within the cool-down", several("#qa-check", LOCKED), (ANSWER,), house="cool-down"),
    Situation(
        "`#qa-check` within the cool-down, when the last review was for fewer people",
        lambda at: (at.open().ask(role=OWNERS), setattr(at, "before", 1), at.ask()),
        (REVIEW,),
        house="cool-down",
    ),
    Situation("Many asked before", waiting(2), (QUEUED, REVIEW), house="queue"),
    Situation("Few asked before", waiting(1), (REVIEW,), house="queue"),
    Situation(
        "Who asked cannot see the project any more", before(asker_removed, by=DEVELOPER.id), (REVIEW,)
    ),
    Situation("The account of who asked is closed", before(account_closed, by=AWAY.id), (REVIEW,)),
    Situation("The account of who asked is deleted", before(account_deleted, by=LEAVING.id), (REVIEW,)),
    Situation(
        "The same where only members of a group may ask",
        before(account_deleted, by=LEAVING.id),
        (STRANGER,),
        house="members",
    ),
)

EDITS = (
    Situation("The command is added to a comment, and Jira's webhook tells of it", edited_later, (REVIEW,)),
    Situation("The same an hour after it was written, without a webhook", edited_and_polled, house="polled"),
    Situation("A comment without a webhook", polled, (REVIEW,), house="polled"),
    Situation("A comment that webhook and poll both tell of", twice_noticed, (REVIEW,), house="polled"),
    Situation("Another command is put in before the bot has read", before(edited("#ask")), (HELP,)),
    Situation("The command is taken out before the bot has read", before(edited("Never mind.")), record=WORD_GONE),
    Situation(
        "The command is taken out before the bot has posted",
        between(edited("Never mind.")),
        record=f"Not answered: {WORD_GONE}.",
    ),
    Situation("The comment is deleted before the bot has read", before(deleted), record=HIDDEN),
    Situation("The comment is deleted before the bot has posted", between(deleted), record=HIDDEN),
    Situation(
        "The command is taken out after the answer",
        lambda at: (at.open().ask(), at.edit("Never mind."), at.house.work()),
        (REVIEW,),
    ),
    Situation(
        "The comment is deleted after the answer", lambda at: (at.open().ask(), deleted(at), at.house.work()), (REVIEW,)
    ),
    Situation("Three commands in three comments", all_of("#qa-check", "#ask", LOCKED), (REVIEW, HELP, ANSWER)),
)

TICKETS = (
    Situation(
        "The ticket is moved to another watched project before the bot has read",
        before(moved("WEB")),
        (About("The review, under the new key.", ("{now}: 2 points to settle",)),),
    ),
    Situation(
        "The same before the bot has posted",
        between(moved("WEB")),
        (About("The review.", (": 2 points to settle",)),),
    ),
    Situation(
        "The ticket is moved to a project that is not watched, before the bot has read",
        before(moved("OPS")),
        record="OPS is not among the configured projects or spaces",
    ),
    Situation(
        "The same before the bot has posted",
        between(moved("OPS")),
        record="Not answered: OPS is not among the configured projects or spaces.",
    ),
    Situation("The ticket is cloned before the bot has posted: the clone has no comments", between(cloned), (REVIEW,)),
    Situation(
        "The project's key is changed before the bot has posted",
        between(renamed_project),
        record="Not answered: CASH is not among the configured projects or spaces.",
    ),
    Situation("The ticket is archived before the bot has read", before(archived), record="{key} is archived"),
    Situation(
        "The ticket is archived before the bot has posted", between(archived), record="Not answered: {key} is archived."
    ),
    Situation(
        "The project is archived before the bot has posted",
        between(project_archived),
        record="Not answered: the project PAY is archived.",
    ),
    Situation("The ticket is deleted before the bot has read", before(ticket_deleted), record=NO_TICKET),
    Situation("The ticket is deleted before the bot has posted", between(ticket_deleted), record=NO_TICKET),
)

BROKEN = (
    Situation(
        "The bot may not comment in the project",
        lacking(forbidden("ADD_COMMENTS")),
        record="Jira refused to write a comment in {key} (400); it takes the permission {comments}: Crosscheck, you do "
        "not have the permission to comment on this issue.",
    ),
    Situation(
        "The bot may not attach files",
        lacking(forbidden("CREATE_ATTACHMENTS"), "#test-cases"),
        (DRAFT,),
        record="?",
    ),
    Situation("The bot cannot see the project", lacking(forbidden("BROWSE_PROJECTS")), record=NO_TICKET),
    Situation(
        "The account that reads cannot see the ticket",
        lacking(ordered("GET", "/issue/PAY-[0-9]+$", 404, 99)),
        ("?",),
        record="?",
    ),
    Situation(
        "The account that reads may not see the ticket",
        lacking(ordered("GET", "/issue/PAY-[0-9]+$", 403, 99)),
        (NOT_ALLOWED,),
        record="?",
    ),
    Situation("Jira does not answer for a while", jira_down_for_a_while, (REVIEW,)),
    Situation("Jira does not answer for long", jira_down, (NO_ANSWER,), record="?"),
    Situation(
        "Jira asks to wait while the bot reads (429)",
        lacking(ordered("GET", "/comment/[0-9]+$", 429, 1, **{"Retry-After": "1"})),
        (REVIEW,),
    ),
    Situation(
        "Jira asks to wait when the answer is posted (429)",
        lacking(ordered("POST", "/comment$", 429, 1, **{"Retry-After": "1"})),
        (REVIEW,),
    ),
    Situation(
        "The connection breaks when the answer has just been written",
        lambda at: (at.open(), at.fault("POST", "/comment$", "drop_after"), at.ask()),
        (REVIEW,),
    ),
    Situation("An administrator has turned posting off", asks(), record="held", house="silent"),
)

SIZES = (
    Situation("An answer that just fits into one comment", as_long(0), (About("One comment."),), house="long"),
    Situation(
        "An answer one letter longer",
        as_long(1),
        (About("Two comments."), About("", ("(continued, part 2 of 2)",))),
        house="long",
    ),
    Situation(
        "An answer four times as long",
        as_long(90_000),
        (
            About("As many comments as it takes, each with its number."),
            *(About("", (f"(continued, part {part} of 5)",)) for part in range(2, 6)),
        ),
        house="long",
    ),
    Situation(
        "The ticket's texts name people, and hold links, pictures, colours and HTML",
        hostile,
        (About("The answer shows them as text; nobody is called, and no link leads there.", ("The fender winch pulls",)),),
    ),
)

PARTS = {
    "Commands": COMMANDS,
    "Test cases": CASES,
    "Who sees the answer": READERS,
    "Service projects": SERVICE,
    "Who may ask, and when": PEOPLE,
    "Comments that change": EDITS,
    "Tickets that change": TICKETS,
    "When something is broken": BROKEN,
    "Long and strange texts": SIZES,
}
SITUATIONS = tuple(one for part in PARTS.values() for one in part)
GROUPS = {CLOUD: "Browse users and groups", DATA_CENTER: "Browse Users"}
"""The permission by which somebody's groups are seen."""
