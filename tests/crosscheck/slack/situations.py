"""The situations in which people ask in Slack, and what is seen in each: word for word where it is short."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.crosscheck.slack.making import (
    HIDDEN,
    LOCKED,
    NOWHERE,
    SECRET,
    STATEMENT,
    TICKET,
    UNKNOWN,
    Stage,
    archived,
    asked_to_wait,
    asks,
    asks_directly,
    asks_in,
    before_reading,
    cases,
    cases_of_thread,
    commands,
    commands_directly,
    deleted,
    edited_after,
    edited_before,
    file_only,
    followed_up,
    guest_joins,
    jira_down,
    jira_forbids,
    long_text,
    mention_added,
    mention_removed,
    model_down,
    other_bot,
    other_mention,
    panel,
    pasted,
    quoted_thread,
    refused,
    removed,
    shared,
    shortcut,
    spoken_to_nobody,
    stale,
    while_answering,
)
from tests.crosscheck.slack.stage import BOARD, CARE, DEVELOPER, LEAD


@dataclass(frozen=True, slots=True)
class About:
    """A message that is too long for the table."""

    told: str
    """What it is."""
    holds: tuple[str, ...]
    lacks: tuple[str, ...] = ()


Words = str | About


@dataclass(frozen=True, slots=True)
class Situation:
    """`put` makes it happen in a conversation."""

    name: str
    put: Callable[[Stage], object]
    everybody: tuple[Words, ...] = ()
    """What the bot wrote in the conversation, and what of it stands there in the end."""
    alone: tuple[Words, ...] = ()
    """What the person who asked was shown alone."""
    record: str = ""
    """Where nobody is told anything: what the list of jobs says."""
    files: tuple[str, ...] = ()
    """Titles of the files in the conversation."""
    house: str = "usual"


POLICY = "A passenger's account is locked after 5 failed sign-in attempts in a row."
ANSWER = About("The answer with its sources.", (POLICY, "Account security policy (page, changed", "👍"))
STAYS = About("The answer stays as it is; there is no second one.", ANSWER.holds)
FARE = About(
    "The answer, from the page that the channel's mapping opens.", ("4 euros a crossing for fuel", "Fare plan 2027")
)
REVIEW = About("The review of the ticket.", (f"{TICKET}: 2 points to settle", "Decision: seats on hold", "👍"))
HELP = About(
    "What one can ask for.", ("I compare tickets, policies and code. Ask me:", "test cases for PROJ-12"), ("👍",)
)
OUTSIDERS = (
    "People from outside the organisation can read this channel, so I do not answer here. Ask in a channel without "
    "guests, or have an administrator allow this one (slack.outside)."
)
NOTHING_TO_DRAFT = (
    "There is nothing to draft test cases from: name a ticket (“test cases for KEY-1”), or ask in the thread of a "
    "discussion."
)
NOT_HERE = (
    "I am not in this conversation, so I cannot tell who else reads it. Invite me to it, or write to me directly."
)


def nothing(question: str) -> About:
    told = f"I found nothing that everybody here may see about “{question}”."
    return About(f"“{told}”, and the nearest titles where there are any.", (told, "Nothing was found"), ("euros",))


def no_ticket(key: str) -> str:
    return f"There is no ticket {key} that everybody who can read this reply may read."


NOT_ALLOWED = (
    "This could not be answered.\n\nReason: Crosscheck's own account may not read what it needs here. An administrator "
    "has to allow it.\n\nIt was tried 5 times. Ask again in a new message; an administrator can see the details in the "
    "list of jobs."
)
DRAFT = About(
    "The draft, in as many messages as it takes, and its file.", (f"{TICKET}: 14 test cases drafted", "BKG-88")
)
GOES_ON = About("", ("(continued, part",))
TITLE = f"{TICKET} test cases, version {{}} ({{}})"

ASKING = (
    Situation("A question in a public channel", asks(LOCKED), (ANSWER,)),
    Situation("Nothing but the mention", asks(""), (HELP,)),
    Situation("“help”", asks("help"), (HELP,)),
    Situation("Nothing is found", asks(NOWHERE), (nothing(NOWHERE),)),
    Situation("Only a page that the readers may not see says it", asks(SECRET), (nothing(SECRET),)),
    Situation("The same in a private channel without a mapping", asks(SECRET, private=True), (nothing(SECRET),)),
    Situation("The same in a private channel that is mapped to it", asks_in("board", SECRET, BOARD), (FARE,)),
    Situation("The same in a direct message", asks_directly(SECRET, DEVELOPER), (nothing(SECRET),)),
    Situation("The same in a direct message of a person who is mapped to it", asks_directly(SECRET, BOARD), (FARE,)),
    Situation(
        "The same in a group message, one of the group mapped to it",
        asks_directly(SECRET, DEVELOPER, BOARD),
        (nothing(SECRET),),
    ),
    Situation("A message of 40,000 characters", long_text, (About(ANSWER.told, ("Sources", "sign-in attempts")),)),
    Situation(
        "A file and no word",
        file_only,
        ("I can read no files here. Write the question as text; a file belongs to a ticket or a page.",),
    ),
    Situation("Another bot is mentioned", other_mention),
    Situation("A bot mentions this one", other_bot),
)
"""Who asks what."""

THREADS = (
    Situation(
        "A question in a thread that says the answer",
        quoted_thread,
        (About("The answer, with the message as a source.", (STATEMENT, f"{LEAD} in #")),),
    ),
    Situation(
        "A second question in the thread, with a mention",
        followed_up(mention=True),
        (ANSWER, About("The answer, which goes on from the first.", ("Account security policy", "Sources"))),
    ),
    Situation("The same without a mention", followed_up(mention=False), (STAYS,)),
    Situation(
        "The same where follow-ups need no mention",
        followed_up(mention=False, channel="follow"),
        (ANSWER, About("The answer, which goes on from the first.", ("Account security policy", "Sources"))),
    ),
    Situation(
        "A reply there, in a thread in which nothing was asked",
        spoken_to_nobody,
        record="not addressed, and nothing was answered in this thread",
    ),
)

EDITS = (
    Situation("The question is edited before it is read", edited_before, (HELP,)),
    Situation("A preview is added to the question", edited_after(f"{{}} {LOCKED}", quiet=True), (STAYS,)),
    Situation("A slip is corrected after the answer", edited_after(f"{{}} {LOCKED} Thanks!"), (STAYS,)),
    Situation("Another question is put in its place after the answer", edited_after("{} help"), (STAYS,)),
    Situation("A mention is added to a message", mention_added, (HELP,)),
    Situation(
        "The mention is taken away while it is answered",
        mention_removed,
        record="Not answered: the message does not address the bot (any more).",
    ),
    Situation(
        "The message is deleted before it is read",
        before_reading(deleted),
        record="Slack could not show the message: the thread was deleted",
    ),
    Situation(
        "The message is deleted while it is answered",
        while_answering(deleted),
        record="The message was deleted",
    ),
)

PLACES = (
    Situation(
        "The bot is removed from the channel before it has read",
        before_reading(removed),
        record="Slack could not show the message: the bot was removed from the channel",
    ),
    Situation(
        "The same in a private channel",
        before_reading(removed, private=True),
        record="Slack could not show the message: the channel is not there, or the bot was removed from it",
    ),
    Situation(
        "The channel is archived before it has read",
        before_reading(archived),
        record="The channel #NAME is archived",
    ),
    Situation(
        "The channel is archived while it is answered",
        while_answering(archived),
        (About("“Looking into it …” stays, for nothing can be changed there.", ("Looking into it …",)),),
        record="The channel #NAME is archived",
    ),
    Situation("A thread in a Slack Connect channel", asks_in("harbour-systems"), (OUTSIDERS,)),
    Situation("A channel with a guest", asks_in("season-pass-pilot", by=CARE), (OUTSIDERS,)),
    Situation(
        "A Slack Connect channel that an administrator allowed",
        asks_in("partners"),
        (About("The answer, from what is made for outsiders alone.", (POLICY, "Sources"), ("BKG-142",)),),
    ),
    Situation("The same, for a ticket", asks_in("partners", f"check {TICKET}"), (no_ticket(TICKET),)),
    Situation("A guest joins while it is answered", while_answering(guest_joins), (OUTSIDERS,)),
    Situation("The channel becomes shared while it is answered", while_answering(shared), (OUTSIDERS,)),
)

COMMANDS = (
    Situation(f"“check {TICKET}”", asks(f"check {TICKET}"), (REVIEW,)),
    Situation("The ticket's pasted link", pasted, (REVIEW,)),
    Situation(f"“check {UNKNOWN}”, which does not exist", asks(f"check {UNKNOWN}"), (no_ticket(UNKNOWN),)),
    Situation(f"“check {HIDDEN}”, which the readers may not see", asks(f"check {HIDDEN}"), (no_ticket(HIDDEN),)),
    Situation(f"“test cases for {TICKET}”", cases(), (DRAFT, GOES_ON, GOES_ON), files=(TITLE.format(1, "Excel"),)),
    Situation(
        f"“test cases for {TICKET} as gherkin”",
        cases(f"test cases for {TICKET} as gherkin"),
        (DRAFT, GOES_ON, GOES_ON),
        files=(TITLE.format(1, "Gherkin"),),
    ),
    Situation(
        "“test cases for this thread”",
        cases_of_thread,
        (
            About("The draft, from what was said, and its file.", ("This thread: 10 test cases", f"{LEAD} in #")),
            GOES_ON,
            GOES_ON,
        ),
        files=("THREAD test cases, version 1 (Excel)",),
    ),
    Situation(
        "The same where nothing was said",
        asks("test cases for this thread"),
        (NOTHING_TO_DRAFT,),
    ),
    Situation(
        "Test cases for a ticket that the readers may not see", asks(f"test cases for {HIDDEN}"), (no_ticket(HIDDEN),)
    ),
    Situation(
        "“drop 4” in the draft's thread",
        cases(f"test cases for {TICKET}", "drop 4"),
        (
            About("The next version, its file in place of the one before.", (f"{TICKET}, version 2 (1 dropped): 13",)),
            GOES_ON,
            GOES_ON,
        ),
        files=(TITLE.format(2, "Excel"),),
    ),
    Situation(
        "“add the boundary of 30 days” there",
        cases(f"test cases for {TICKET}", "add the boundary of 30 days"),
        (
            About("The next version, likewise.", (f"{TICKET}, version 2 (3 added): 17", "30 days (at the limit)")),
            GOES_ON,
            GOES_ON,
            GOES_ON,
        ),
        files=(TITLE.format(2, "Excel"),),
    ),
    Situation(
        "“drop 99” there",
        cases(f"test cases for {TICKET}", "drop 99"),
        (About("That there is no such case; the file stays.", ("There is no case 99; the draft has cases 1 to 14.",)),),
        files=(TITLE.format(1, "Excel"),),
    ),
    Situation(
        "“as csv”, “as testrail”, “as xray”, “as zephyr” there",
        cases(f"test cases for {TICKET}", *(f"as {form}" for form in ("csv", "testrail", "xray", "zephyr"))),
        (About("The same draft as a further file.", (f"{TICKET}: 14 test cases drafted",)),) * 4,
        files=tuple(TITLE.format(1, form) for form in ("Excel", "CSV", "TestRail", "Xray", "Zephyr")),
    ),
    Situation(
        "“drop 4” where there is no draft",
        asks("drop 4"),
        ("There is no draft of test cases in this thread yet. Ask for one: “test cases for KEY-1”.",),
    ),
)

ALONE = (
    Situation("/crosscheck and a question, in a public channel", commands(LOCKED), alone=(ANSWER,)),
    Situation("/crosscheck in a private channel with the bot", commands(LOCKED, private=True), alone=(ANSWER,)),
    Situation(
        "/crosscheck in a private channel without the bot", commands(LOCKED, private=True, bot=False), alone=(NOT_HERE,)
    ),
    Situation("/crosscheck in a direct message", commands_directly, alone=(ANSWER,)),
    Situation("/crosscheck where outsiders read", commands(LOCKED, "harbour-systems"), alone=(OUTSIDERS,)),
    Situation("/crosscheck about what the channel may not see", commands(SECRET), alone=(nothing(SECRET),)),
    Situation("/crosscheck check KEY", commands(f"check {TICKET}"), alone=(REVIEW,)),
    Situation("/crosscheck help", commands("help"), alone=(HELP,)),
    Situation(
        "“Ask about this”, in the menu of a message",
        shortcut,
        alone=("Looking into it. The answer comes here, for you alone.", ANSWER),
    ),
    Situation("A question in the assistant's panel", panel, (ANSWER,)),
)

BROKEN = (
    Situation("Slack asks to wait before the answer is posted (429)", asked_to_wait, (ANSWER,)),
    Situation(
        "Slack refuses the answer",
        refused,
        ("The answer could not be posted here; an administrator can see why in the list of jobs.",),
        record="Slack refused to write in #NAME (invalid_blocks)",
    ),
    Situation(
        "The model gives no answer",
        model_down,
        (
            About(
                "Quotes of what was found, and that the model failed.",
                (POLICY, "The model gave no usable answer", "These are quotes of what was found."),
            ),
        ),
        house="bad_day",
    ),
    Situation(
        "The index is out of date",
        stale,
        (
            About(
                "The answer; each source says that it was not read lately.",
                (POLICY, "from a source that was not read lately"),
            ),
        ),
        house="bad_day",
    ),
    Situation("Jira does not answer at first, “check KEY”", jira_down, (REVIEW,), house="bad_day"),
    Situation(
        "Crosscheck's account may not read Jira, “check KEY”",
        jira_forbids,
        (NOT_ALLOWED,),
        house="bad_day",
    ),
)

PARTS = {
    "Questions": ASKING,
    "Threads": THREADS,
    "Edits": EDITS,
    "Places": PLACES,
    "Tickets and test cases": COMMANDS,
    "For one person": ALONE,
    "When something is broken": BROKEN,
}
SITUATIONS = tuple(one for part in PARTS.values() for one in part)
