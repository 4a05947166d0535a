"""The renamed company means the same and shares no name with the first one."""

import re
from collections import defaultdict
from random import Random

import pytest

from sandbox.load import load_company, value_of
from sandbox.quantities import Quantities
from sandbox.records import Company
from sandbox.rename import renamed
from sandbox.repos import build
from sandbox.thesaurus import entries

SEEDS = (1, 2, 77)

# The domain's nouns, counted by hand in the corpus and not taken from the thesaurus.
NOUNS = re.findall(
    r"\S+",
    """
    account attempt booking captain card check-in children crew crossing deck departure discount e-mail fare harbour
    hold island link message network office page passenger pass password phone policy quay refund sailing seat server
    ship sign-in tablet taxes upload vehicle voucher website
    """,
)

UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "MB": 1}
WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
QUANTITY = re.compile(
    rf"(?<![\w.,:-])(?<!HTTP )(?!20[23]\d )(\d+|(?i:{'|'.join(WORDS)}|twenty|thirty|forty|fifty)) "
    r"(?:working )?(seconds?|minutes?|hours?|days?|weeks?|months?|years?|MB|[a-z]+)"
    r"(?! ?(?:January|February|March|April|May|June|July|August|September|October|November|December))"
)


@pytest.fixture(scope="module")
def company() -> Company:
    return load_company()


@pytest.fixture(scope="module", params=SEEDS)
def other(company, request) -> Company:
    return renamed(company, request.param)


def prose(company: Company) -> list[str]:
    """Every text, in an order that renaming keeps."""
    found = []
    for ticket in company.tickets:
        found += [ticket.summary, ticket.description, *ticket.fields, *ticket.fields.values()]
        found += [c.text for c in ticket.comments]
        found += [text for c in ticket.history for text in (c.field, c.before, c.after)]
        found += [link.title for link in ticket.remote_links]
        found += [text for file in ticket.attachments for text in (file.name, file.text)]
    for page in company.pages:
        found += [page.title, *(text for version in page.versions for text in (version.text, version.message))]
        found += [text for c in page.comments for text in (c.text, c.marked or "")]
        found += [text for file in page.attachments for text in (file.name, file.text)]
    for pull in company.pulls:
        found += [pull.title, pull.description, *(commit.message for commit in pull.commits)]
    return found + [commit.message for repo in company.repos for commit in repo.commits]


def everything(company: Company) -> str:
    commits = [commit for holder in (*company.repos, *company.pulls) for commit in holder.commits]
    files = [text or "" for commit in commits for text in (*commit.files, *commit.files.values(), commit.branch)]
    return "\n".join([*prose(company), *files])


def test_the_same_seed_gives_the_same_company(company):
    assert renamed(company, 5) == renamed(company, 5)
    assert renamed(company, 5) != renamed(company, 6)


def test_nobody_keeps_a_name(company, other):
    text = everything(other) + repr(other.people)
    for person in company.people:
        assert person.id not in repr(other)
        if not person.bot:
            for name in (person.name, *person.name.split(), person.email):
                assert not re.search(rf"\b{re.escape(name)}\b", text), name


def test_no_key_is_kept(company, other):
    text = repr(other)
    for project in company.projects:
        assert not re.search(rf"\b{project.key}-\d", text)
    assert not {p.key for p in company.projects} & {p.key for p in other.projects}
    assert not {s.key for s in company.spaces} & {s.key for s in other.spaces}


def test_links_still_lead_to_the_same(company, other):
    new_key = {old.key: new.key for old, new in zip(company.tickets, other.tickets, strict=True)}
    assert len(set(new_key.values())) == len(new_key)
    for old, new in zip(company.tickets, other.tickets, strict=True):
        assert [new_key[link.key] for link in old.links] == [link.key for link in new.links]
        assert new.parent == (old.parent and new_key[old.parent])
        projects = {p.key for p in other.projects}
        assert new.key.partition("-")[0] in projects
    assert [(new_key[row.ticket], row.rule, row.verdict) for row in company.truth] == [
        (row.ticket, row.rule, row.verdict) for row in other.truth
    ]
    named = r"(?<![\w-])(?:{})-\d+".format("|".join(p.key for p in other.projects))
    assert set(re.findall(named, everything(other))) <= set(new_key.values())
    files = {f"repo:{repo.name}/{path}" for repo in other.repos for commit in repo.commits for path in commit.files}
    linked = {link.url for ticket in other.tickets for link in ticket.remote_links if link.url.startswith("repo:")}
    assert linked
    assert linked <= files
    titles = {page.id: page.title for page in other.pages}
    assert all(
        link.title == titles[link.url.removeprefix("page:")]
        for ticket in other.tickets
        for link in ticket.remote_links
        if link.url.startswith("page:")
    )


def test_demo_markers_and_labels_follow(company, other):
    project = next(p for p in other.projects if other.demo.ticket.startswith(p.key + "-"))
    assert other.demo.person in project.roles[other.demo.role]
    asked = other.demo.slack
    assert asked.person in next(channel.members for channel in other.channels if channel.name == asked.channel)
    assert re.findall(rf"\b{project.key}-\d+", asked.text) == [
        ticket.key for ticket in other.tickets if re.search(rf"\b{ticket.key}\b", asked.text)
    ]
    assert [marker.word for marker in other.markers] == [marker.word for marker in company.markers]
    for marker in other.markers:
        kind, where = marker.where.split(" ")
        holder = next(
            repr(h)
            for h in (other.tickets if kind == "ticket" else other.pages)
            if getattr(h, "key", None) == where or getattr(h, "id", None) == where
        )
        assert marker.word in holder
        assert sum(marker.word in repr(h) for h in (*other.tickets, *other.pages)) == 1
    containers = {f"jira:{p.key}" for p in other.projects} | {f"confluence:{s.key}" for s in other.spaces}
    containers |= {f"repo:{repo.name}" for repo in other.repos}
    assert set(other.open_to_all) < containers
    assert all(marker.labels[0] in containers for marker in other.markers)


def test_histories_still_lead_to_the_present(other):
    names = {person.id: person.name for person in other.people}
    for ticket in other.tickets:
        last = {change.field: change for change in ticket.history}
        for name, change in last.items():
            assert change.after == value_of(ticket, name, names)


def quantities(company: Company) -> list[tuple[int, str]]:
    """Numbers with the word behind them, in figures or in letters."""
    values = {
        **{word: at for at, word in enumerate(WORDS, start=2)},
        "twenty": 20,
        "thirty": 30,
        "forty": 40,
        "fifty": 50,
    }
    return [
        (int(number) if number.isdecimal() else values[number.lower()], unit)
        for text in prose(company)
        for number, unit in QUANTITY.findall(text)
    ]


def test_every_quantity_changes_and_the_order_stays(company, other):
    before, after = quantities(company), quantities(other)
    assert len(before) == len(after) > 100
    mapped = defaultdict(dict)
    for (old, unit), (new, new_unit) in zip(before, after, strict=True):
        kind = unit.rstrip("s") if unit.rstrip("s") in UNITS or unit.startswith(("month", "year")) else "count"
        if kind != "count":
            assert new_unit.rstrip("s") == kind
        assert new != old
        assert mapped[kind].setdefault(old, new) == new, f"{old} {unit} became two things"
    for mapping in mapped.values():
        numbers = [mapping[old] for old in sorted(mapping)]
        assert numbers == sorted(set(numbers))
    factors = {new / old for kind in mapped if kind not in {"count", "MB"} for old, new in mapped[kind].items()}
    assert len(factors) == 1  # so 24 hours are 1 day still
    assert mapped["day"][1] * 24 == mapped["hour"][24]


def test_code_and_text_keep_saying_the_same(company, other):
    """The constant that agreed with the policy agrees still, the one that did not does not."""

    def constants(of: Company) -> list[int]:
        newest = {}
        for repo in of.repos:
            for commit in repo.commits:
                newest |= commit.files
        return [int(number) for text in newest.values() for number in re.findall(r"\b[A-Z_]{5,} = (\d+)", text or "")]

    def said(of: Company) -> set[int]:
        return {number for number, _ in quantities(of)}

    before, after = constants(company), constants(other)
    assert len(before) == len(after) > 10
    assert all(old != new for old, new in zip(before, after, strict=True))
    assert {new for old, new in zip(before, after, strict=True) if old in said(company)} <= said(other)


def test_most_nouns_of_the_domain_change(company, other):
    old, new = everything(company).lower(), everything(other).lower()

    def count(noun: str, text: str) -> int:
        return len(re.findall(rf"(?<![a-z]){noun}s?(?![a-z])", text))

    kept = [noun for noun in NOUNS if count(noun, new) > count(noun, old) / 10]
    assert all(count(noun, old) for noun in NOUNS)
    assert len(kept) <= 0.4 * len(NOUNS), kept


def test_the_phrases_that_rules_look_for_change(company, other):
    for phrase in ("TBD", "??", "not sure yet", "Agreed", "Approved", "OpenQuestion"):
        spots = [number for number, text in enumerate(prose(company)) if phrase in text]
        assert spots
        assert not [
            number for number in spots if re.search(rf"(?<![\w?]){re.escape(phrase)}(?!\?)", prose(other)[number])
        ]


def test_the_company_itself_is_called_otherwise(other):
    assert "skerryline" not in everything(other).lower() + repr(other.people)


def test_repositories_build_from_it(company, other, tmp_path):
    assert len(build(other, tmp_path)) == len(company.repos)


def test_different_things_stay_different():
    """No alternative is used for two words, and none is a word that is itself replaced."""
    forms, alternatives = [], defaultdict(set)
    for entry, others in entries():
        forms += entry
        for number, other in enumerate(others):
            assert len(other) == len(entry)
            if entry[0].islower() and len(entry) > 1:
                for form in other:
                    alternatives[form].add((entry[0], number))
    assert len(forms) == len(set(forms))
    assert not set(forms) & set(alternatives)
    assert [form for form, users in alternatives.items() if len({entry for entry, _ in users}) > 1] == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("On 12 May 2026 at 10:30, version 1.4.2 answered HTTP 429.", True),
        ("1. first\n2. second\n", True),
        ("TC-01 and `0001_init.sql` and 12A", True),
        ("See BKG-142 and page:7001.", True),
        ("after 5 attempts", False),
        ("Ten attempts", False),
        ("within 3 working days", False),
    ],
)
def test_what_is_a_quantity(text, kept):
    assert (Quantities(Random(1)).prose(text) == text) == kept


def test_units_and_numbers_agree_in_form():
    quantities = Quantities(Random(1))
    day, days = quantities.prose("1 day"), quantities.prose("24 hours")
    assert day.endswith(" days")
    assert int(day.split()[0]) * 24 == int(days.split()[0])
