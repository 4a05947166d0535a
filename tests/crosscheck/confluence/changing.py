"""Situations in which something changes, fails or is not allowed while people wait."""

from tests.crosscheck.confluence.asking import HELP, REVIEW
from tests.crosscheck.confluence.making import (
    answering,
    asks,
    asks_and_waits,
    before_posting,
    before_reading,
    brought_back,
    edited_again,
    edited_in,
    in_trash,
    moved,
    renamed,
    root_deleted,
    settle,
    settled_before,
    space_archived,
    status,
    thread_deleted,
    trigger_deleted,
    trigger_emptied,
)
from tests.crosscheck.confluence.situation import About, Situation
from tests.crosscheck.confluence.stage import TESTER, UNWATCHED
from tests.crosscheck.confluence.texts import FEE
from tests.crosscheck.confluence.trouble import (
    MARGIN,
    again_after,
    asked_to_wait,
    down,
    edited_in_told,
    failing_write,
    forbidden,
    late_search,
    leaves,
    lost_and_rewritten,
    lost_answer,
    narrowed,
    opened_above,
    opened_up,
    queued,
    restricted,
    restricted_above,
    unasked,
    unasked_at_posting,
    unasked_once,
    webhook,
)

EARNED = About(
    "The answer, from a page for the same readers.",
    ("The Brackwater margin on a kennel is 31 euros.", "Kennels: what it earns"),
)
NOTHING = About(
    "“I found nothing that everybody here may see about “What is the Brackwater margin on a kennel?”.”",
    ("I found nothing that everybody here may see about “What is the Brackwater margin on a kennel?”.",),
    ("31 euros",),
)
UNREADABLE = (
    "The account that Crosscheck reads with does not see this page, so it cannot be read for an answer. An "
    "administrator has to allow that account to view it."
)
FAILED = (
    "This could not be answered.\nReason: A system that Crosscheck works with did not answer as it should.\nIt was "
    "tried 5 times. Write the command in a new comment to ask again; an administrator can see the details in the list "
    "of jobs."
)
STRANGER = (
    "Crosscheck answers people in the group engineering here. Ask one of them to write the command, or have an "
    "administrator add you."
)
QUEUED = "2 requests came before this one and wait as well. The answer comes here, as a comment."
WORDS = HELP.replace("qa-check", "pruefen").replace("#ask", "#frage")
FORBIDDEN = "Confluence refused to answer on page NUMBER (403); it takes the permission to add comments"
GONE = "Confluence could not show comment NUMBER: it is not there, or not for the bot to see"
TOO_SOON = "This was reviewed 2 minutes ago; the review stands in an earlier comment. It can be reviewed again from"
RESOLVED = "the thread is resolved"
DANGLES = "the text that the thread is about is not on the page any more"

at_text = answering(marked=FEE)
in_thread = answering()

READERS = (
    Situation("The page is restricted to a group", restricted(), (EARNED,), house="library"),
    Situation("A page above it is restricted", restricted_above(), (EARNED,), house="library"),
    Situation("The same question on an open page", asks(MARGIN), (NOTHING,), house="library", never=("31 euros",)),
    Situation(
        "The page is opened up when the answer is made and not posted yet",
        opened_up,
        (NOTHING,),
        house="library",
        never=("31 euros",),
    ),
    Situation(
        "The page above, which alone was restricted, is opened up likewise",
        opened_above,
        (NOTHING,),
        house="library",
        never=("31 euros",),
    ),
    Situation("The page is restricted meanwhile, so that fewer read it", narrowed, (REVIEW,)),
    Situation("Confluence does not say at first who may read the page", unasked_once, (REVIEW,)),
    Situation(
        "It does not say so when the answer is to be posted, but a little later",
        unasked_at_posting,
        (EARNED,),
        house="library",
    ),
    Situation("It never says so", unasked, (FAILED,)),
    Situation("The account that reads does not see the page", restricted("#qa-check"), (UNREADABLE,), house="narrow"),
)

THREADS = (
    Situation("The thread was resolved before", settled_before("resolved"), record=RESOLVED),
    Situation("It was resolved and reopened", settled_before("resolved", "reopened"), (REVIEW,)),
    Situation("It is resolved meanwhile", at_text(settle("resolved")), record=f"Not answered: {RESOLVED}."),
    Situation("The marked text was taken from the page before", settled_before("dangling"), record=DANGLES),
    Situation("It is taken from the page meanwhile", at_text(settle("dangling")), record=f"Not answered: {DANGLES}."),
    Situation("The first comment of the thread is deleted meanwhile", in_thread(root_deleted), (REVIEW,)),
    Situation("The whole thread is deleted meanwhile", in_thread(thread_deleted), record=GONE),
    Situation("The comment that asks is deleted before it is read", before_reading(trigger_deleted), record=GONE),
    Situation("It is deleted meanwhile", before_posting(trigger_deleted), record=GONE),
    Situation(
        "The command is taken from it meanwhile",
        before_posting(trigger_emptied),
        record="Not answered: the comment holds no command (any more).",
    ),
    Situation("The command comes by an edit", edited_in, (REVIEW,)),
    Situation("The same where a webhook or an Automation told of the comment before", edited_in_told, (REVIEW,)),
    Situation("The comment is edited after the answer", edited_again, (REVIEW,)),
    Situation("The account of whoever asked is removed meanwhile", leaves, (REVIEW,)),
)

PAGES = (
    Situation("The page moves to another space that is answered in", before_posting(moved("ENG")), (REVIEW,)),
    Situation(
        "It moves to a space that is not",
        before_posting(moved(UNWATCHED)),
        record=f"Not answered: {UNWATCHED} is not among the configured projects or spaces.",
    ),
    Situation("It is renamed", before_posting(renamed), (REVIEW,)),
    Situation(
        "It is archived (Cloud)",
        before_posting(status("archived")),
        record="Not answered: the page is archived.",
        on=("cloud",),
    ),
    Situation("It is put in the trash before it is read", in_trash, record=GONE),
    Situation("It is put in the trash when the answer is made", before_posting(status("trashed")), record=GONE),
    Situation("It is brought back, and somebody asks then", brought_back, (REVIEW,)),
    Situation("The space is archived", before_posting(space_archived), record="Not answered: the space is archived."),
)

BROKEN = (
    Situation("The bot may not comment in the space", forbidden, record=FORBIDDEN, on=("cloud",)),
    Situation(
        "The same on Data Center",
        forbidden,
        record=f"{FORBIDDEN}: Could not create content with type comment",
        on=("data-center",),
    ),
    Situation("Confluence asks to wait (429)", asked_to_wait, (REVIEW,)),
    Situation("It fails when the answer is posted, and writes nothing", failing_write, (REVIEW,)),
    Situation("The connection breaks when the answer has been written", lost_answer, (REVIEW,)),
    Situation("The same, and the editor stores the answer in its own way", lost_and_rewritten, (REVIEW,)),
    Situation("Nothing of Confluence answers for long", down, (FAILED,)),
    Situation("The search finds the comment late", late_search, (REVIEW,)),
    Situation("Only a webhook or an Automation tells of the comment", webhook(), (REVIEW,)),
    Situation("It does so three times, and the search finds it as well", webhook(copies=3, searched=True), (REVIEW,)),
    Situation("A stranger tells of it, with another secret", webhook(secret="0" * 32)),
)

LIMITS = (
    Situation("Somebody who is not of the group that may ask", asks("#pruefen"), (STRANGER,), house="strict"),
    Situation(
        "Somebody of the group, with the words of the settings", asks("#pruefen", by=TESTER), (REVIEW,), house="strict"
    ),
    Situation("The word that the settings replaced", asks_and_waits("#qa-check"), house="strict"),
    Situation(
        "A second review within the cool-down",
        again_after(2),
        (
            REVIEW,
            About(f"“{TOO_SOON} 10:12 UTC on.”", (TOO_SOON, "UTC on.")),
        ),
        house="strict",
    ),
    Situation(
        "A second review after it", again_after(12), (REVIEW, About("The review.", ("as before: 1",))), house="strict"
    ),
    Situation("Many asked before", queued, (QUEUED, *(WORDS,) * 4), house="strict"),
    Situation("`posting = false`", asks(), record="held", house="silent", on=("cloud",)),
    Situation("`answers = false`", asks_and_waits("#qa-check"), house="mute", on=("cloud",)),
)
