"""What a situation is, and what the bot says in more than one of them."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.crosscheck.jira.stage import CLOUD, DATA_CENTER, FLAVOURS, Flavour
from tests.crosscheck.jira.ticket import Stage


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
LONG = About("The answer, to the first 8,000 of them.", ANSWER.holds)
TOLD = About("The answer, from the comment.", ("The Zephyrine surcharge is 4 euros a crossing.", "Sources"))
GOES_ON = About("", ("(continued, part",))
DRAFT = About("The draft, and its file.", ("{key}: 4 test cases drafted", "An export without a date"))
NO_FILE = (
    "The file is not attached: everybody who sees the ticket sees its files, and this comment is for fewer people. Ask "
    "in a comment without a restriction."
)
DRAFT_ALONE = About(f"The draft, and at its end: “{NO_FILE}”", (*DRAFT.holds, NO_FILE))
GO_ON = (
    " Write #test-cases alone for a draft; then #test-cases add …, #test-cases drop 4 or #test-cases as csv to go on "
    "with it."
)
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
    "Crosscheck answers people in the group qa-leads or with the role Testers here. Ask one of them to write the "
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
UNREADABLE = (
    "The account that Crosscheck reads with does not see this ticket, so it cannot be read for an answer. An "
    "administrator has to allow that account to view it."
)
NOT_SEEN = '{"errorMessages":["You do not have the permission to see the specified issue."],"errors":{}}'
HIDDEN = "Jira could not show comment {id} of ticket {number}: it is not there, or not for the bot to see"
NO_TICKET = "Jira could not show ticket {number}: it is not there, or not for the bot to see"
WORD_GONE = "the comment holds no command (any more)"


GROUPS = {CLOUD: "Browse users and groups", DATA_CENTER: "Browse Users"}
"""The permission by which somebody's groups are seen."""
