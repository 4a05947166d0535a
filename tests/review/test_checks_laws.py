"""What holds for every rule and any text."""

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from review.checks import RULES
from review.checks.quantities import quantities
from review.text import language_of, sections, sentences, stems, visible_prose, without_quoted
from review.words import LANGUAGES, defaults, extended
from tests.review.cases import assert_cited, bug, case, change, comment, link, page, ticket
from tests.review.pull_cases import Heads, overviews, pull, pulled, use

PIECES = st.sampled_from(
    [
        "TBD",
        "???",
        "Approved",
        "5 days",
        "#",
        "**",
        "`",
        "```\n",
        "> ",
        "\n",
        "\n\n",
        "- [ ] ",
        "| a | 3 |\n",
        "Expected:",
        "?",
        "## Acceptance criteria",
        "\x00",
        "שלום",
        "\u202e",
        "مرحبا؟",
        "🙂",
        "10 MB",
        "from 3 to 5",
        "before",
        "when",
        "not",
        " ",
        "~~",
        "https://a.example/?b",
        "<b",
        "](",
        "\u2019",
        "ß",
        "\ud800",
        "1.000,5",
        "€",
        "in 2024",
        "-",
        "half a",
        "a",
        "\x85",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(PIECES, max_size=25).map(" ".join), st.lists(PIECES, max_size=25).map("".join)
)


@given(TEXTS)
@settings(max_examples=300)
def test_offsets_stay_and_quotes_are_literal(text):
    assert len(visible_prose(text)) == len(text)
    for sentence in sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert len(sentence.prose) == len(sentence.text)
        assert sentence.prose.strip()
    for section in sections(text):
        assert section.title in text
        assert section.body in text
        assert section.whole in text


@given(TEXTS, st.sampled_from(["en", "de"]))
@settings(max_examples=300)
def test_quantities_stand_in_order_and_apart(text, language):
    found = quantities(text, language)
    ends = [0, *(quantity.end for quantity in found)]
    for quantity, before in zip(found, ends, strict=False):
        assert before <= quantity.start < quantity.end <= len(text)
        assert quantity.low <= quantity.high
        assert quantity.dimension
        assert quantity.agrees(quantity)
    stems(text, language_of(text))


@given(st.lists(TEXTS, min_size=8, max_size=8), st.booleans())
@settings(max_examples=120, deadline=None)
def test_any_ticket_is_judged_and_every_finding_is_cited(texts, done):
    evidence = [page("Rules", texts[5]), bug(texts[0] or "x", texts[6])]
    subject = case(
        ticket(
            texts[0],
            texts[1],
            fields={"Acceptance criteria": texts[2]},
            comments=[comment("Ana", texts[3], 1), comment("Ben", texts[4], 2)],
            history=[change("description", texts[7], texts[1], 3)],
            links=[link("is blocked by", summary=texts[2], status=texts[3])],
            done=done,
        ),
        *evidence,
    )
    for rule in RULES:
        checked = rule.check(subject)
        assert_cited(subject, checked, evidence)
        assert all(finding.rule == rule.id for finding in checked.findings)
        assert rule.check(subject) == checked


@given(TEXTS, TEXTS, TEXTS, st.sampled_from(["open", "draft", "merged", "closed"]), st.booleans(), st.booleans())
@settings(max_examples=120, deadline=None)
def test_any_pull_request_is_judged_and_every_finding_is_cited(told, lines, base, state, deployed, done):
    title = told.splitlines()[0].strip() if told.strip() else ""
    name = "hold_seats"
    snapshot = pull(state=state, base=base, deployed=deployed, title=title, files=["src/a.py", "migrations/1.sql"])
    changed = "\n".join(f"+{line}" for line in lines.splitlines())
    heads = Heads({"src/a.py": changed, "migrations/1.sql": f"-def {name}():\n{changed}"}, symbols=[name])
    elsewhere = use("gate", "app/scan.py", f"{name}(3)")
    subject = pulled(
        ticket(told, lines, fields={"Acceptance criteria": lines, "Fix versions": base}, done=done),
        snapshot,
        heads=heads,
        users={name: [elsewhere]},
    )
    for rule in RULES:
        checked = rule.check(subject)
        assert_cited(subject, checked, [*overviews(snapshot), *heads.given, elsewhere.evidence])
        assert rule.check(subject) == checked


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "word ",
        "?",
        "TBD ",
        "`",
        "**",
        "<a",
        "](",
        "- x\n",
        "5 days ",
        "~~",
        "1.",
        "| a ",
        "@",
        "\x00",
        "# h\n",
        "if ",
        '"',
        "of the ",
        "is it so? ",
        "We decided. Who? ",
    ],
)
def test_a_long_text_takes_no_long_time(unit):
    long = (unit * 32_000)[:32_000]
    heads = Heads({"src/a.py": f"+{long}", "migrations/1.sql": f"+{long}"}, symbols=["hold_seats"])
    subject = pulled(
        ticket("Long", long, comments=[comment("Ana", long, 1)], history=[change("description", long[1:], long, 2)]),
        pull(base=long, files=["src/a.py", "migrations/1.sql"]),
        heads=heads,
        evidence=[
            page("Rules", long),
            bug("Long word", long),
            replace(page("Record", long), kind="qa"),
            replace(page("tests/test_long.py", long), kind="code"),
        ],
    )
    started = time.thread_time()  # what other processes of the machine do counts for nothing
    for rule in RULES:
        rule.check(subject)
    assert time.thread_time() - started < 8


def test_five_thousand_comments():
    texts = ["How long may item {} stay?", "Approved.", "The price of item {} is TBD.", "See the picture of item {}."]
    comments = [comment(f"P{n % 7}", texts[n % 4].format(n), n / 1000) for n in range(5000)]
    changes = [change("description", f"a {n}", f"a word{n}", n / 100) for n in range(500)]
    subject = case(ticket("Shelf life", "Text.", comments=comments, history=changes))
    started = time.perf_counter()
    for rule in RULES:
        rule.check(subject)
    assert time.perf_counter() - started < 15


def test_an_empty_ticket():
    for rule in RULES:
        rule.check(case(ticket("", "")))


def test_nothing_beyond_the_ticket_and_the_search_is_cited():
    hidden = page("Hidden", "The account is locked after five failed login attempts.")
    subject = case(ticket("Lock", "Lock the account after 3 failed login attempts."), replace(hidden, kind="code"))
    assert not [
        finding for rule in RULES for finding in rule.check(subject).findings if finding.rule == "policy-conflict"
    ]


def test_each_rule_is_listed_once():
    assert [rule.id for rule in RULES] == [
        "acceptance-criteria",
        "policy-conflict",
        "named-ticket",
        "pull-conflict",
        "reserved-deeds",
        "changed-after-agreement",
        "undecided",
        "unanswered-question",
        "cited-page",
        "linked-ticket",
        "not-deployed",
        "other-base",
        "contradicted-by-tests",
        "flipped-value",
        "thresholds",
        "named-in-pull",
        "existing-data",
        "earlier-bug",
        "consumers",
    ]


def test_words_by_language_and_from_the_settings():
    assert "verworfen" not in defaults(["en"]).rejected
    assert "verworfen" in defaults(["en", "de"]).rejected
    assert "parked" in extended(defaults(), {"rejected": ["  Parked "]}).rejected
    with pytest.raises(KeyError, match="colours"):
        extended(defaults(), {"colours": ["red"]})
    with pytest.raises(KeyError):
        defaults(["xx"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_lower_case(language):
    words = LANGUAGES[language]
    assert all(word == word.lower().strip() for name in words.__slots__ for word in getattr(words, name))


@pytest.mark.parametrize("mark", "“„«»'\"")
def test_marks_that_are_never_closed_are_no_work(mark):
    """What stands between two marks is blanked; two hundred thousand of them are looked through once."""
    assert without_quoted(f"a {mark * 200_000} z")[0] == "a"
