"""Commands, test cases, readers and service projects."""

from tests.crosscheck.jira.firm import AGENTS, DEVELOPERS, LEVEL, OWNERS, OWNERS_NOW, TESTER
from tests.crosscheck.jira.firm import TESTERS as BOT_LACKS
from tests.crosscheck.jira.making import (
    ASKS_SECRET,
    LOCKED,
    NOWHERE,
    asks,
    asks_secret,
    at_posting,
    before,
    between,
    comes_out_wider,
    for_another,
    group_renamed,
    left_role,
    marked_up,
    restricted_first,
    secret_between,
    secured,
    secured_first,
    several,
    shown_to,
)
from tests.crosscheck.jira.saying import (
    AGAIN,
    ANSWER,
    ASK_INTERNALLY,
    CSV,
    DRAFT,
    DRAFT_ALONE,
    GO_ON,
    HELP,
    HIDDEN,
    LONG,
    OTHER_HELP,
    REVIEW,
    TOLD,
    WORD_GONE,
    XLSX,
    About,
    Situation,
    no_ticket,
    nothing,
)
from tests.crosscheck.jira.stage import CLOUD, DATA_CENTER

COMMANDS = (
    Situation("`#qa-check`", asks(), (REVIEW,)),
    Situation("The same again", several("#qa-check", "#qa-check"), (AGAIN,)),
    Situation(
        "`#qa-check dismiss 2: agreed with sales`, after a review",
        several("#qa-check", "#qa-check dismiss 2: agreed with sales"),
        (
            About(
                "That the point is set aside, as long as the comment stands.", ("Set aside, as long as your comment",)
            ),
        ),
    ),
    Situation("`#ask` and a question", asks(LOCKED), (ANSWER,)),
    Situation(
        "The same over several lines",
        asks("Hello,\n#ask After how many failed\nsign-in attempts\nis an account locked?"),
        (ANSWER,),
    ),
    Situation(
        "`#qa-check` and a line break (Shift+Enter)",
        asks("#qa-check\\\\please have a look"),
        (REVIEW,),
        on=(DATA_CENTER,),
    ),
    Situation("Nothing is found", asks(NOWHERE), (nothing(NOWHERE),)),
    Situation("`#ask` and nothing", asks("#ask"), (HELP,)),
    Situation("A question of 30,000 characters", asks(f"{LOCKED} {'Please. ' * 3_700}"), (LONG,)),
    Situation(
        "In a quote",
        marked_up("> #qa-check\n\nWhat is this?", "{quote}#qa-check{quote}\nWhat is this?"),
        record=WORD_GONE,
    ),
    Situation("In code", marked_up("Write `#qa-check` to ask.", "Write {{#qa-check}} to ask."), record=WORD_GONE),
    Situation(
        "In a link",
        marked_up("[#qa-check](http://firm.example/help)", "[#qa-check|http://firm.example/help]"),
        record=WORD_GONE,
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
    Situation(
        "`#test-cases OPS-1`, a ticket of a project that is not watched",
        asks("#test-cases OPS-1"),
        (no_ticket("OPS-1"),),
    ),
    Situation(
        "`#test-cases PAY-1 as csv`",
        asks("#test-cases PAY-1 as csv"),
        (About("The draft for that ticket, and its file at this one.", ("PAY-1: 4 test cases drafted",)),),
        files=("PAY-1-test-cases.csv",),
    ),
    Situation("`#test-cases as csv`", asks("#test-cases as csv"), (DRAFT,), files=(CSV,)),
    Situation("An administrator chose CSV: `#test-ideas`", asks("#test-ideas"), (DRAFT,), files=(CSV,), house="words"),
    Situation(
        "`#test-cases drop 4`, after a draft",
        several("#test-cases", "#test-cases drop 4"),
        (About("The next version, and its file beside the first.", ("{key}, version 2 (1 dropped): 3 test cases",)),),
        files=(XLSX, "{key}-test-cases-v2.xlsx"),
    ),
    Situation(
        "`#test-cases add the boundary of 30 days`, after a draft",
        several("#test-cases", "#test-cases add the boundary of 30 days"),
        (About("The next version, likewise.", ("{key}, version 2 (3 added): 7 test cases", "30 days (at the limit)")),),
        files=(XLSX, "{key}-test-cases-v2.xlsx"),
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
        ("I make files of these kinds: xlsx, csv, gherkin, testrail, xray, zephyr. For example: “as csv”." + GO_ON,),
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
    Situation("A comment for everybody asks the same", asks_secret(said_to={"role": OWNERS}), (nothing(ASKS_SECRET),)),
    Situation(
        "A comment for another role asks the same",
        asks_secret(said_to={"role": OWNERS}, role=DEVELOPERS),
        (nothing(ASKS_SECRET),),
        f"role {DEVELOPERS}",
    ),
    Situation("A comment for a role that the bot is not in", asks(by=TESTER.id, role=BOT_LACKS), record=HIDDEN),
    Situation("A comment for a group that the bot is not in", asks(by=TESTER.id, group="testers"), record=HIDDEN),
    Situation("The bot is taken out of the role before it has posted", between(left_role, role=OWNERS), record=HIDDEN),
    Situation(
        "The same in the moment in which it posts",
        at_posting(left_role, role=OWNERS),
        record="Jira refused to show the comment to these people only (400); it takes Add comments, and the bot in "
        "the role Product owners: You are currently not a member of the project role: Product owners.",
    ),
    Situation(
        "The comment is limited to a role before the bot has read",
        before(shown_to(role=OWNERS)),
        (REVIEW,),
        f"role {OWNERS}",
    ),
    Situation(
        "The comment is limited to a role before the bot has posted",
        between(shown_to(role=OWNERS)),
        (REVIEW,),
        f"role {OWNERS}",
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
    Situation("The ticket is given a security level before the bot has posted", between(secured(LEVEL)), (REVIEW,)),
    Situation("It loses its security level before the bot has posted", secured_first(secured(None), LEVEL), (REVIEW,)),
    Situation("The ticket is only for people with a role", restricted_first, (REVIEW,), on=(CLOUD,)),
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
    Situation(
        "`#qa-check` there: what is made for outsiders does not hold the ticket",
        asks(project="HELP"),
        (ASK_INTERNALLY,),
        house="outsiders",
    ),
    Situation("`#qa-check` in an internal note", asks(project="HELP", internal=True), (REVIEW,), "internal"),
    Situation("`#ask` in an internal note", asks(LOCKED, project="HELP", internal=True), (ANSWER,), "internal"),
    Situation(
        "`#test-cases` in an internal note",
        asks("#test-cases", project="HELP", internal=True),
        (DRAFT_ALONE,),
        "internal",
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
        (REVIEW,),
        "internal",
    ),
    Situation(
        "Jira shows the answer to an internal note to customers",
        comes_out_wider("HELP", internal=True),
        record="Jira showed a comment in {key} to more people than asked. It was deleted.",
    ),
)
