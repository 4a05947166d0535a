"""Drafts of test cases as files, read back by what reads such files; and the command that writes them."""

import csv
import io
import json
import re
from base64 import b64decode
from dataclasses import fields
from datetime import UTC, datetime

import pytest
import typer
from gherkin.parser import Parser
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from bots.outline import Bullets, Code, Heading, Link, Paragraph, Table
from bots.text import clean
from core.types import Audience, Locator
from crosscheck.errors import BadSettings
from crosscheck.test_case_files import FORMS, exported, testrail, title_of, xray, zephyr
from crosscheck.test_case_files.cells import inert, is_formula, steps
from crosscheck.test_case_files.record import draft_answer, draft_from, draft_record
from crosscheck.test_case_files.table import COLUMNS, rows
from crosscheck.test_case_outline import draft_outline
from crosscheck.test_cases_cli import draft_cases
from review.test_cases.types import KINDS, THREAD, URGENCIES, Change, Draft, DraftedCase, Neighbour, Plan, Step
from review.types import Cited, Unknown

LABELS = frozenset({"org"})
PLACE = Locator("jira:1", "PAY-12 Lock accounts", "https://jira.example/browse/PAY-12")
SOURCE = Cited(PLACE, LABELS, quote="Locked after 5 attempts.")
HOSTILE = [
    '=HYPERLINK("https://evil.example";"x")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "  =1",
    "\uff1d1+1",
    "one\nScenario: injected\n  Given nothing",
    'x\r\nFeature: y\n@tag\n| a | b |\n"""\n',
    "# language: de",
    "a\u2028Scenario: b\x85Then c",
    "_x0041_ and _x000D_",
    'quo"te, comma; semicolon',
    "\x00\x07\x1b[31m",
    "\ud800 half",
    "<a> <b>",
    "x" * 40_000,
    "",
    " ",
]


def case(**changes):
    base = {
        "kind": "boundary",
        "title": "5 attempts (at the limit)",
        "preconditions": ("An open account.",),
        "steps": (Step("Sign in wrongly five times.", "Each is refused."), Step("Sign in once more.")),
        "expected": "The account is locked.",
        "urgency": "high",
        "reason": "The limit is where readings differ.",
        "sources": (SOURCE,),
        "condition": "5 attempts",
    }
    return DraftedCase(**{**base, **changes})


def draft(*cases, **changes):
    base = {
        "key": "PAY-12",
        "title": "Lock accounts",
        "locator": PLACE,
        "cases": cases or (case(),),
        "plan": None,
        "unknowns": (),
        "degraded": (),
        "made_by": "rules alone: no model is configured",
        "audience": Audience(LABELS),
        "at": datetime(2026, 11, 2, 9, tzinfo=UTC),
    }
    return Draft(**{**base, **changes})


def hostile(text):
    return draft(
        case(
            title=text,
            preconditions=(text, text),
            steps=(Step(text, text), Step(text)),
            expected=text,
            reason=text,
            sources=(Cited(Locator("d", text, "https://jira.example/x"), LABELS, quote=text),),
        ),
        title=text,
    )


def read_csv(content):
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def sheet(content):
    return load_workbook(io.BytesIO(content)).active


texts = st.sampled_from(HOSTILE) | st.text(max_size=80)


def test_every_form_has_a_name_and_a_type_of_its_own():
    files = [exported(draft(), form) for form in FORMS]
    assert len({file.name for file in files}) == len(FORMS)
    assert all(file.name.startswith("PAY-12-test-cases") and file.content for file in files)
    assert exported(draft(key="../../etc/PAY-1"), "csv").name == "etcPAY-1-test-cases.csv"


def test_files_of_different_versions_are_told_apart():
    second = draft(version=2)
    assert title_of(draft(), "xlsx") == "PAY-12 test cases, version 1 (Excel)"
    assert title_of(second, "xray") == "PAY-12 test cases, version 2 (Xray)"
    assert len({title_of(one, form) for one in (draft(), second) for form in FORMS}) == 2 * len(FORMS)
    assert exported(second, "xlsx").name == "PAY-12-test-cases-v2.xlsx"
    assert exported(second, "xray").name == "PAY-12-test-cases-v2-xray.csv"


@given(st.sampled_from(HOSTILE) | st.text(max_size=200))
def test_law_names_and_titles_are_short_and_plain(key):
    for told in (title_of(draft(key=key), "csv"), exported(draft(key=key), "csv").name):
        assert re.fullmatch(r"[\w-]{1,60}( test cases, version 1 \(CSV\)|-test-cases\.csv)", told, re.ASCII)


@pytest.mark.parametrize(
    ("form", "column"),
    [("csv", "ticket"), ("xray", "Links"), ("zephyr", "Coverage (Issues)"), ("testrail", "References")],
)
def test_what_was_made_of_a_thread_alone_links_to_no_ticket(form, column):
    assert read_csv(exported(draft(), form).content)[0][column] == "PAY-12"
    assert read_csv(exported(draft(key=THREAD), form).content)[0][column] == ""


def test_files_number_the_cases_as_people_call_them():
    left = draft(case(), case(title="x", condition="x"), gone=frozenset({1, 3}))
    assert [row["number"] for row in read_csv(exported(left, "csv").content)] == ["2", "4"]
    assert [row["Issue ID"] for row in read_csv(exported(left, "xray").content)] == ["2", "2", "4", "4"]


def test_the_table_holds_all_of_a_case():
    (row,) = read_csv(exported(draft(), "csv").content)
    assert tuple(row) == COLUMNS
    assert row["id"] == case().id
    assert row["steps"] == "1. Sign in wrongly five times. Expected: Each is refused.\n2. Sign in once more."
    assert row["sources"] == "PAY-12 Lock accounts: “Locked after 5 attempts.”"
    assert row["addresses"] == "https://jira.example/browse/PAY-12"


@pytest.mark.parametrize("form", ["csv", "testrail", "xray", "zephyr"])
@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_of_a_csv_file_is_a_formula(form, text):
    for row in read_csv(exported(hostile(text), form).content):
        assert not [value for value in row.values() if is_formula(value)]


@settings(max_examples=60, deadline=None)
@given(texts)
def test_law_csv_and_xlsx_give_back_every_text(text):
    subject = hostile(text)
    (expected,) = rows(subject)
    (read,) = read_csv(exported(subject, "csv").content)
    assert list(read.values()) == [inert(value) for value in expected]
    cells = [cell.value or "" for cell in sheet(exported(subject, "xlsx").content)[2]]
    assert [one.replace("_x005F_x", "_x") for one in cells] == [clean(value)[:32_000] for value in expected]


def test_a_workbook_holds_typed_text_below_a_frozen_header():
    for text in ("=1+1", "@x", "plain"):
        page = sheet(exported(hostile(text), "xlsx").content)
        assert page.freeze_panes == "A2"
        assert [cell.value for cell in page[1]] == list(COLUMNS)
        (found,) = [cell for cell in page[2] if cell.column_letter == "D"]
        assert (found.value, found.data_type) == (text, "s")
        assert bool(found.quotePrefix) == (text != "plain")


def parsed(content):
    return Parser().parse(content.decode())["feature"]


def test_a_feature_has_tags_scenarios_and_steps_in_order():
    feature = parsed(exported(draft(), "gherkin").content)
    assert feature["name"] == "PAY-12 Lock accounts"
    (scenario,) = [child["scenario"] for child in feature["children"]]
    assert [tag["name"] for tag in scenario["tags"]] == ["@boundary", "@high", f"@{case().id}"]
    assert [(step["keyword"].strip(), step["text"]) for step in scenario["steps"]] == [
        ("Given", "An open account."),
        ("When", "Sign in wrongly five times."),
        ("Then", "Each is refused."),
        ("When", "Sign in once more."),
        ("Then", "The account is locked."),
    ]


@settings(max_examples=80, deadline=None)
@given(texts)
def test_law_no_text_opens_a_scenario_a_table_a_tag_or_another_language(text):
    feature = parsed(exported(hostile(text), "gherkin").content)
    assert feature["language"] == "en"
    assert [tag["name"] for tag in feature["tags"]] == ["@PAY-12"]
    (child,) = feature["children"]
    scenario = child["scenario"]
    assert len(scenario["tags"]) == 3
    assert not scenario["examples"]
    seen = bool(clean(text).split())
    keywords = ["Given", "And", "When", "Then", "When", "Then"] if seen else ["Given", "And", "When", "And", "Then"]
    assert [step["keyword"].strip() for step in scenario["steps"]] == keywords
    assert not any("dataTable" in step or "docString" in step for step in scenario["steps"])


def test_testrail_gets_a_row_a_step_and_the_title_only_once():
    first, second = read_csv(exported(draft(), "testrail").content)
    assert tuple(first) == testrail.COLUMNS
    assert (first["Title"], first["Priority"], first["Type"]) == ("5 attempts (at the limit)", "High", "Functional")
    assert (first["References"], first["Section"]) == ("PAY-12", "PAY-12 Lock accounts")
    assert first["Steps (Expected Result)"] == "Each is refused."
    assert (second["Title"], second["Steps (Step)"]) == ("", "Sign in once more.")
    assert second["Steps (Expected Result)"] == "The account is locked."


def test_zephyr_gets_a_row_a_step_with_the_names_of_its_own_columns():
    first, second = read_csv(exported(draft(case(kind="regression", urgency="medium")), "zephyr").content)
    assert tuple(first) == zephyr.COLUMNS
    assert (first["Name"], first["Priority"], first["Coverage (Issues)"]) == (
        "5 attempts (at the limit)",
        "Normal",
        "PAY-12",
    )
    assert first["Labels"] == "PAY-12,regression,drafted-by-rule"
    assert second["Name"] == second["Objective"] == ""
    assert second["Test Script (Step-by-Step) - Expected Result"] == "The account is locked."


def test_xray_gets_a_row_a_step_that_its_number_puts_together():
    first, second, third = read_csv(exported(draft(case(), case(title="x", steps=(Step("Go."),))), "xray").content)
    assert tuple(first) == xray.COLUMNS
    assert [row["Issue ID"] for row in (first, second, third)] == ["1", "1", "2"]
    assert {row["Test Type"] for row in (first, second, third)} == {"Manual"}
    assert (first["Test Summary"], first["Test Priority"]) == ("5 attempts (at the limit)", "2")
    assert (first["Action"], first["Result"]) == ("Sign in wrongly five times.", "Each is refused.")
    assert (second["Action"], second["Result"]) == ("Sign in once more.", "The account is locked.")
    assert first["Labels"].split(";") == ["PAY-12", "boundary", "drafted-by-rule", case().id]
    assert first["Description"].startswith("Precondition: An open account.\n")
    assert "Locked after 5 attempts." in first["Description"]
    assert (first["Test Repo"], first["Links"]) == ("PAY-12", "PAY-12")
    assert {second[name] for name in ("Test Summary", "Labels", "Description", "Links")} == {""}


@pytest.mark.parametrize("text", HOSTILE)
def test_titles_keep_to_what_the_tools_take(text):
    subject = hostile(text)
    summary = read_csv(exported(subject, "xray").content)[0]["Test Summary"]
    assert len(summary) <= xray.SUMMARY + 1
    assert "\n" not in summary
    assert len(read_csv(exported(subject, "testrail").content)[0]["Title"]) <= testrail.TITLE + 1
    assert len(read_csv(exported(subject, "zephyr").content)[0]["Name"]) <= zephyr.NAME + 1


def test_what_is_expected_at_the_end_is_said_once():
    same = case(steps=(Step("Do it.", "Done."),), expected="Done.")
    assert steps(same) == [("Do it.", "Done.")]
    both = case(steps=(Step("Do it.", "Seen."),), expected="Done.")
    assert steps(both) == [("Do it.", "Seen.\nDone.")]


PLAN = Plan(
    conditions=(SOURCE,),
    intent=(Cited(PLACE, LABELS, quote="Clear the lock"),),
    neighbours=(Neighbour("what else src/reset.py does", "The fix changed it.", SOURCE),),
)


def words_of(outline):
    """All words, and the addresses of all links."""
    told, links = [], []
    for block in outline:
        if isinstance(block, Heading | Code):
            told.append(block.text)
            continue
        spans = [block.spans] if isinstance(block, Paragraph) else block.items if isinstance(block, Bullets) else []
        assert not isinstance(block, Table)
        for span in (span for group in spans for span in group):
            told.append(span.text)
            if isinstance(span, Link):
                links.append(span.locator.url)
    return "\n".join(told), links


def test_a_draft_reads_with_its_plan_sources_unknowns_and_what_was_left_out():
    outline = draft_outline(
        draft(
            plan=PLAN,
            unknowns=(Unknown("The pages were not read.", "Asking again."),),
            degraded=("The model gave no usable answer.",),
            dropped=2,
            more=7,
        )
    )
    told, links = words_of(outline)
    assert told.startswith("PAY-12: 1 test case drafted (1 boundary; priority: 1 high).")
    for part in (
        "How to verify the fix again", "Clear the lock", "src/reset.py", "five times. Expected: Each is refused.",
        "The pages were not read. What would settle it: Asking again.", "2 cases that the model proposed were dropped",
        "7 further cases", "The model gave no usable answer.", "Drafted by rules alone: no model is configured.",
    ):  # fmt: skip
        assert part in told
    assert set(links) == {PLACE.url}


def test_a_later_version_says_what_changed_and_keeps_the_numbers():
    outline = draft_outline(
        draft(
            case(),
            case(title="New", condition="new"),
            version=3,
            changes=(Change("dropped", 2, "Old"), Change("added", 3, "New")),
            gone=frozenset({2}),
            said=("There is no case 9; the draft has cases 1, 3.",),
        )
    )
    told, _ = words_of(outline)
    assert told.startswith(
        "PAY-12, version 3 (1 added, 1 dropped): 2 test cases drafted (2 boundary; priority: 2 high). "
        "Numbers stay: that of a dropped case is not given again.\n"
        "There is no case 9; the draft has cases 1, 3.\nDropped: 2. Old\nAdded: 3. New\n"
    )
    assert [block.text.split(".")[0] for block in outline if isinstance(block, Heading)][:2] == ["1", "3"]


def test_a_draft_of_a_thread_alone_is_called_so():
    told, _ = words_of(draft_outline(draft(key=THREAD)))
    assert told.startswith("This thread: 1 test case drafted")
    none_left, _ = words_of(
        draft_outline(Draft(**{**fields_of(draft(key=THREAD)), "cases": (), "gone": frozenset({1})}))
    )
    assert none_left.startswith("This thread: no test cases are left")


def fields_of(one):
    return {field.name: getattr(one, field.name) for field in fields(one)}


def shown(one):
    """All that people see of a draft, and its files; a workbook holds the time at which it is written."""
    return draft_outline(one), [exported(one, form).content for form in FORMS if form != "xlsx"]


labels = st.frozensets(st.sampled_from(["org", "jira:PAY", "slack:C1"]), min_size=1)
places = st.builds(Locator, texts, texts, texts, st.none() | texts, st.none() | st.integers(min_value=1))
sources = st.builds(Cited, places, labels, texts, texts)
cases = st.builds(
    DraftedCase, st.sampled_from(KINDS), texts, st.tuples(texts), st.tuples(st.builds(Step, texts, texts)), texts,
    st.sampled_from(URGENCIES), texts, st.tuples(sources), st.text(st.characters(exclude_categories=["Cs"])),
    st.booleans(),
)  # fmt: skip
plans = st.builds(Plan, st.tuples(sources), st.tuples(sources), st.tuples(st.builds(Neighbour, texts, texts, sources)))
drafts = st.builds(
    Draft, key=texts, title=texts, locator=places, cases=st.lists(cases, max_size=3).map(tuple),
    plan=st.none() | plans, unknowns=st.tuples(st.builds(Unknown, texts, texts)), degraded=st.tuples(texts),
    made_by=texts, audience=st.builds(Audience, labels), at=st.datetimes(timezones=st.just(UTC)),
    dropped=st.integers(0, 9), more=st.integers(0, 9), rests_on=st.frozensets(texts, max_size=3),
    read_live=st.frozensets(texts, max_size=3), version=st.integers(1, 9),
    changes=st.tuples(st.builds(Change, st.sampled_from(["added", "dropped"]), st.integers(1, 9), texts)),
    said=st.tuples(texts), gone=st.frozensets(st.integers(1, 9)),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(drafts)
def test_law_a_draft_survives_its_record(one):
    again = draft_from(json.loads(json.dumps(draft_record(one))))
    assert again == one
    assert shown(again) == shown(one)
    assert [case.id for case in again.cases] == [case.id for case in one.cases]


def test_a_record_keeps_nothing_of_how_the_draft_was_made():
    one = draft(numbers={"cases": 1}, audit=({"step": "sent"},))
    assert draft_from(draft_record(one)) == draft()


@pytest.mark.parametrize("broken", [{}, {"key": "PAY-1"}, {**draft_record(draft()), "cases": [{"kind": "other"}]}])
def test_what_is_no_record_is_refused(broken):
    with pytest.raises(ValueError, match="Draft"):
        draft_from(broken)


def test_an_empty_draft_says_so():
    told, _ = words_of(draft_outline(draft(cases=())))
    assert told.startswith("PAY-12: no test cases could be drafted")


def test_a_record_is_plain_json_and_carries_the_file():
    answer = draft_answer(draft(plan=PLAN), "gherkin", lambda outline: words_of(outline)[0])
    again = json.loads(json.dumps(answer))
    assert b64decode(again["file"]["content"]) == exported(draft(), "gherkin").content
    assert again["cases"][0]["sources"][0]["quote"] == "Locked after 5 attempts."
    assert again["cases"][0]["priority"] in URGENCIES
    assert again["cases"][0]["kind"] in KINDS
    assert again["plan"]["neighbours"][0]["source"]["url"] == PLACE.url
    assert again["reply"].startswith("PAY-12: 1 test case")
    assert again["cases"][0]["number"] == 1
    assert draft_answer(draft(), None, str)["file"] is None
    with pytest.raises(BadSettings, match="no form"):
        draft_answer(draft(), "docx", str)


def command(*arguments):
    """The command as it is typed; refused before anything is read."""
    app = typer.Typer()
    app.command("test-cases")(draft_cases)
    app(["PAY-12", *arguments], standalone_mode=False)


def test_a_workbook_is_not_shown_in_a_terminal():
    with pytest.raises(BadSettings, match="--out"):
        command("--format", "xlsx")


def test_a_file_that_is_there_is_not_overwritten(tmp_path):
    there = tmp_path / "cases.csv"
    there.write_text("mine")
    with pytest.raises(BadSettings, match="--force"):
        command("--format", "csv", "--out", str(there))
    assert there.read_text() == "mine"
