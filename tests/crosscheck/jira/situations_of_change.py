"""People, comments and tickets that change, and whatever else can be in the way."""

from tests.crosscheck.jira.firm import AWAY, DEVELOPER, LEAVING, OWNERS, TESTER
from tests.crosscheck.jira.making import (
    LOCKED,
    account_closed,
    account_deleted,
    all_of,
    archived,
    as_long,
    asker_removed,
    asks,
    before,
    between,
    cloned,
    deleted,
    edited,
    edited_and_polled,
    edited_later,
    forbidden,
    hostile,
    in_code_first,
    jira_down,
    jira_down_for_a_while,
    lacking,
    moved,
    ordered,
    polled,
    project_archived,
    renamed_project,
    several,
    ticket_deleted,
    twice_noticed,
    waiting,
)
from tests.crosscheck.jira.saying import (
    ANSWER,
    DRAFT,
    GOES_ON,
    HELP,
    HIDDEN,
    NO_ANSWER,
    NO_TICKET,
    NOT_ALLOWED,
    NOT_SEEN,
    QUEUED,
    REVIEW,
    STRANGER,
    UNREADABLE,
    WORD_GONE,
    About,
    Situation,
)
from tests.crosscheck.jira.stage import CLOUD, DATA_CENTER

PEOPLE = (
    Situation("Somebody of the group asks", asks(), (REVIEW,), house="members"),
    Situation("Somebody with the role asks", asks(by=TESTER.id), (REVIEW,), house="members"),
    Situation("Somebody else asks", asks(by=DEVELOPER.id), (STRANGER,), house="members"),
    Situation(
        "The bot may not look up groups",
        lacking(ordered("GET", "/user(/groups)?$", 403, 99)),
        (NOT_ALLOWED,),
        record="Jira refused to tell the groups of somebody (403); it takes the permission {groups}: Internal server "
        "error",
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
    Situation("Who asked cannot see the project any more", before(asker_removed, by=DEVELOPER.id), (REVIEW,)),
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
    Situation("The command stood in code, and an edit makes it one", in_code_first, (REVIEW,)),
    Situation(
        "The command is added an hour after the comment was written, without a webhook",
        edited_and_polled,
        house="polled",
    ),
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
        (About("The review, under the key that the ticket had.", ("{key}: 2 points to settle",)),),
    ),
    Situation(
        "The ticket is moved to a project that is not watched, before the bot has read",
        before(moved("OPS")),
        record="OPS is not among the configured projects or spaces",
    ),
    Situation(
        "The same after it has read, and before it has posted",
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
        record="Jira refused to write a comment in {key} (400); it takes the permission Add comments: Crosscheck, you "
        "do not have the permission to comment on this issue.",
    ),
    Situation(
        "The bot may not attach files",
        lacking(forbidden("CREATE_ATTACHMENTS"), "#test-cases"),
        (
            About("The draft.", DRAFT.holds),
            "The file could not be attached here; an administrator can see why in the list of jobs.",
        ),
        record="Jira refused to attach a file to {key} (403); it takes the permission Create attachments: You do not "
        "have permission to create attachments for this issue.",
    ),
    Situation("The bot cannot see the project", lacking(forbidden("BROWSE_PROJECTS")), record=NO_TICKET, on=(CLOUD,)),
    Situation(
        "The bot cannot see the project",
        lacking(forbidden("BROWSE_PROJECTS")),
        record="Jira refused to show ticket {number} (403); it takes the permission Browse projects: You do not have "
        "the permission to see the specified issue.",
        on=(DATA_CENTER,),
    ),
    Situation(
        "The account that reads cannot see the ticket",
        lacking(ordered("GET", "/issue/PAY-[0-9]+$", 404, 99)),
        (UNREADABLE,),
        on=(CLOUD,),
    ),
    Situation(
        "The same with `#ask`",
        lacking(ordered("GET", "/issue/PAY-[0-9]+$", 404, 99), LOCKED),
        (ANSWER,),
        on=(CLOUD,),
    ),
    Situation(
        "The account that reads cannot see the ticket",
        lacking(ordered("GET", "/issue/PAY-[0-9]+$", 403, 99, NOT_SEEN)),
        (NOT_ALLOWED,),
        record="Jira answered issue/{key} with 403: You do not have the permission to see the specified issue. The "
        "account that reads (jira.read_user with CROSSCHECK_JIRA_READ_TOKEN) needs the permission Browse Projects in "
        "PAY.",
        on=(DATA_CENTER,),
    ),
    Situation("Jira does not answer for a while", jira_down_for_a_while, (REVIEW,)),
    Situation(
        "Jira does not answer for long: five attempts, and a word when it is back",
        jira_down,
        (NO_ANSWER,),
        record="Jira could not show ticket {number} (503): Internal server error",
    ),
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
    Situation(
        "An administrator has turned posting off: the answer is kept, and not posted",
        asks(),
        record="held",
        house="silent",
    ),
)

SIZES = (
    Situation("An answer that just fits into one comment", as_long(0), (About("One comment."),), house="long"),
    Situation(
        "An answer one letter longer",
        as_long(1),
        (About("Two comments."), GOES_ON),
        house="long",
    ),
    Situation(
        "An answer four times as long",
        as_long(90_000),
        (About("As many comments as it takes, each with its number."), *[GOES_ON] * 4),
        house="long",
    ),
    Situation(
        "The ticket's texts name people, and hold links, pictures, colours and HTML",
        hostile,
        (
            About(
                "The answer shows them as text; nobody is called, and no link leads there.", ("The fender winch pulls",)
            ),
        ),
    ),
)
