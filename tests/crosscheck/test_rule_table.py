"""What the rules find in the sandbox's company, through index and network: all that they must, and nothing else.

The same table must come out of the company under other names, numbers and wordings; so the rules know their job and
not the company.
"""

import re
from pathlib import Path

import pytest

import review
from crosscheck.demo import playground
from crosscheck.operations import Local
from review.checks import RULES
from sandbox.load import load_company
from sandbox.rename import renamed
from sandbox.thesaurus import things

SEEDS = (3, 11, 29)
ORDINARY = {
    *("calendar", "cancelled", "counter", "gate", "group", "groups", "hold", "holds", "log", "message", "office"),
    *("delete", "pass", "refused", "ship", "survey", "upload", "uploaded"),
}
"""What the company shares with everybody: `hold` in prose, `gate 5` as a label, `ship it`, a `Counter` in code."""


@pytest.fixture(scope="module")
def company():
    return load_company()


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_the_rules_find_all_they_must_and_nothing_else(company, tmp_path, seed):
    known = company if seed is None else renamed(company, seed)
    was = {new.key: old.key for old, new in zip(company.tickets, known.tickets, strict=True)}
    table = {
        row["rule"]: {verdict: sorted(was[key] for key in row[verdict]) for verdict in ("caught", "missed", "false")}
        for row in rules_over(known, tmp_path)
    }
    silent = {"caught": [], "missed": [], "false": []}
    assert {rule.id: table.get(rule.id, silent) for rule in RULES} == {
        rule.id: silent | {"caught": caught(company, rule.id)} for rule in RULES
    }


def test_no_rule_holds_a_word_of_the_company(company):
    names = {part for person in company.people if not person.bot for part in person.name.split()}
    names |= {project.key for project in company.projects} | {space.key for space in company.spaces}
    names |= {repo.name for repo in company.repos} | {marker.word for marker in company.markers}
    own = things() - ORDINARY
    assert {"passenger", "sign-in", "voucher"} <= own
    for path in rule_files():
        text = path.read_text("utf-8")
        assert not [name for name in names if stands_in(name, text)], path
        assert not [thing for thing in own if stands_in(thing, text.lower())], path


def rules_over(company, folder):
    with playground(company, folder, fixed_ports=False) as (_, program):
        for name in program.sources.names([]):
            program.sources.sync(name, True, lambda _: None)
        asked = {"projects": [project.key for project in company.projects], "audience": "org"}
        return Local(program).run("review_all", asked, lambda _: None)["rules"]


def caught(company, rule):
    return sorted(row.ticket for row in company.truth if row.rule == rule and row.verdict == "catch")


def rule_files():
    root = Path(review.__file__).parent
    return [*(root / "checks").glob("*.py"), *(root / f"{name}.py" for name in ("text", "words", "lexicon"))]


def stands_in(word, text):
    return re.search(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])", text) is not None
