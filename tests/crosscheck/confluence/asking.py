"""Situations in which people ask: what they write, and what of the page and around it is looked at."""

from tests.crosscheck.confluence.making import (
    asks,
    asks_apart,
    asks_on,
    asks_twice,
    by_bot,
    changed_between,
    deep,
    remarked,
    written,
)
from tests.crosscheck.confluence.situation import About, Situation
from tests.crosscheck.confluence.texts import (
    BICYCLES,
    KEPT,
    LINKED,
    LOCKS,
    NAMED,
    NAMED_HIDDEN,
    SETTLED,
    SIX,
)
from tests.crosscheck.confluence.trouble import hostile, long_page

UNDECIDED = "In the text something is marked as not decided yet: “The fee for a bicycle is TBD”."
REVIEW = About("The review of the page.", ("“Bicycles on board”, version 1: 1 point to settle", UNDECIDED))
CONFLICT = "The page says “6 failed sign-in attempts” (text)"
HELP = (
    "Write in a comment:\n#qa-check: what is missing, undecided or in conflict here\n"
    "#ask and a question: an answer from tickets, policies and code\n#test-cases: a draft of test cases"
)
SET_ASIDE = (
    f"Set aside, as long as your comment stands:\n1. {UNDECIDED}\nNo other point of that review is left. The next "
    "review lists what was set aside, with the comment that did it."
)
ANSWER = About(
    "The answer with its sources.",
    ("A passenger's account is locked after 5 failed sign-in attempts in a row.", "Sources", "Account security policy"),
)

NO_DRAFT = (
    "There is no draft of test cases here yet that everybody who reads this comment was shown. Write #test-cases alone "
    "for a draft; then #test-cases add …, #test-cases drop 4 or #test-cases as csv to go on with it."
)

COMMANDS = (
    Situation("`#qa-check` in a comment at the foot of the page", asks(), (REVIEW,)),
    Situation("In a reply deep in a thread", deep, (REVIEW,)),
    Situation(
        "In a sentence, after a mention",
        written("<p><ac:link><ri:user USER/></ac:link> #qa-check, please</p>"),
        (REVIEW,),
    ),
    Situation(
        "At a marked text",
        asks("#qa-check", LOCKS, marked="The text of the message is TBD."),
        (
            About(
                "The review, what is about the marked text first, in the same thread at the text.",
                ("2 points to settle", "1. P1: Something is marked as undecided", "2. P1: A number or limit", CONFLICT),
            ),
        ),
        house="library",
    ),
    Situation(
        "The same at another text of that page",
        asks("#qa-check", LOCKS, marked=SIX),
        (
            About(
                "The same review in another order.",
                ("2 points to settle", "1. P1: A number or limit", CONFLICT, "2. P1: Something is marked as undecided"),
            ),
        ),
        house="library",
    ),
    Situation(
        "At a marked text in which nothing is found",
        asks(marked="A bicycle is booked together with the ticket."),
        (
            About(
                "The review, which says that nothing was found in the marked text.",
                (UNDECIDED, "Nothing was found that is missing, undecided or in conflict in the marked text."),
            ),
        ),
    ),
    Situation("`#qa-check` in a quotation", written("<blockquote><p>#qa-check</p></blockquote>")),
    Situation("In code", written("<p>Write <code>#qa-check</code> there.</p><pre>#qa-check</pre>")),
    Situation(
        "In a macro",
        written(
            '<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[#qa-check]]></ac:plain-text-body>'
            "</ac:structured-macro>"
        ),
    ),
    Situation(
        "In a link",
        written('<p><a href="https://skerryline.example/#qa-check">https://skerryline.example/#qa-check</a></p>'),
    ),
    Situation("In a comment of the bot itself", by_bot),
    Situation(
        "`#qa-check dismiss 1: agreed with sales` after a review",
        asks_twice("#qa-check", "#qa-check dismiss 1: agreed with sales"),
        (REVIEW, SET_ASIDE),
    ),
    Situation(
        "`#qa-check dismiss 7: agreed with sales`, of which there is none",
        asks_twice("#qa-check", "#qa-check dismiss 7: agreed with sales"),
        (REVIEW, "The last review has one point, so 7 cannot be set aside. Nothing was changed."),
    ),
    Situation(
        "A second review after the page was changed",
        changed_between(BICYCLES, BICYCLES.replace("The fee for a bicycle is TBD.", "A tandem costs ??? euros.")),
        (
            REVIEW,
            About(
                "The review of version 2, which says what is new and what is gone since the last one.",
                (
                    "version 2:",
                    "Since the last review (",
                    "new: 1; no longer standing: 1.",
                    "No longer standing: " + UNDECIDED,
                ),
            ),
        ),
    ),
    Situation(
        "A second review after what was open is decided",
        changed_between(BICYCLES, SETTLED),
        (
            REVIEW,
            About(
                "That nothing is left, and what is gone.",
                ("version 2: nothing found", "nothing new; no longer standing: 1", "No longer standing: " + UNDECIDED),
            ),
        ),
    ),
    Situation(
        "`#ask` and a question",
        asks("#ask After how many failed sign-ins is an account locked?"),
        (ANSWER,),
        house="library",
    ),
    Situation(
        "The same at a marked text",
        asks("#ask Does this hold for passengers, too?", LOCKS, marked=SIX),
        (About("The answer, in the same thread at the text.", ("[1]", "Sources")),),
        house="library",
    ),
    Situation("`#ask` without a question", asks("#ask"), (HELP,)),
    Situation(
        "`#test-cases`",
        asks("#test-cases", KEPT),
        (
            About(
                "The draft, in the thread; no file.",
                ("“Bicycles on board”, version 1:", "test cases drafted"),
                ("The file",),
            ),
        ),
    ),
    Situation(
        "`#test-cases drop 2` after it",
        asks_apart("#test-cases", "#test-cases drop 2", KEPT),
        (
            About("The draft.", ("test cases drafted",)),
            About("The next version.", ("(1 dropped)", "Dropped: 2.")),
        ),
    ),
    Situation("`#test-cases drop 2` where there is no draft", asks("#test-cases drop 2"), (NO_DRAFT,)),
    Situation(
        "An answer that is too long for one comment",
        long_page,
        (
            About("The answer, as far as it fits.", ("test cases drafted",)),
            About("The rest, in a further reply of the same thread.", ("(continued, part 2 of",)),
        ),
    ),
)

LOOKED_AT = (
    Situation(
        "A page below it says another number",
        asks_on("7810"),
        (About("The review names both.", ("The page says “12 hours” (text)", "Kennels: how it works", "24 hours")),),
        house="library",
        never=("Brackwater", "what it earns"),
    ),
    Situation(
        "A page that it links to says another number",
        asks(
            "#qa-check",
            LINKED,
        ),
        (About("The review names both.", ("The page says “36 hours” (text)", "Kennels: how it works", "24 hours")),),
        house="library",
    ),
    Situation(
        "A policy in another space says another number",
        asks("#qa-check", SIX),
        (About("The review names both.", (CONFLICT, "“Account security policy” says “5 failed sign-in attempts”")),),
        house="library",
    ),
    Situation(
        "A ticket that it names says another number",
        asks("#qa-check", NAMED),
        (About("The review names both.", ("but BKG-142, which it names, says “8 failed sign-in attempts”",)),),
        house="library",
    ),
    Situation(
        "A page below it, or a ticket that it names, is not for everybody who reads the page",
        asks("#qa-check", NAMED_HIDDEN),
        (About("The review, without a word of it.", ("“Bicycles on board”, version 1: nothing found",)),),
        house="library",
        never=("Ostrawick", "old printer"),
    ),
    Situation(
        "An earlier version had the same number, and the one between had another",
        asks("#qa-check", *(f"A bicycle is kept for {days} days." for days in (7, 14, 7))),
        (
            About(
                "The review says who changed it there and back.",
                ("version 3: 1 point", "In the text a value was changed and then changed back."),
            ),
        ),
    ),
    Situation(
        "A question in a comment has no answer",
        remarked("Does this hold for tandems, too?", SETTLED),
        (About("The review repeats the question.", ("1 point to settle", "Wen Zhao asked a question")),),
    ),
    Situation(
        "The page is made to look like markup, a mention or a command",
        hostile,
        (
            About(
                "The review quotes it as text: nobody is called, nothing is run.",
                ("The fee is TBD <script>alert(1)</script>",),
            ),
        ),
    ),
)
