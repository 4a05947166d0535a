"""Jira in every situation, from a person's comment to what stands in the ticket afterwards."""

import json
from contextlib import ExitStack

import pytest

from tests.crosscheck.jira.firm import AGENTS
from tests.crosscheck.jira.page import BEGIN, END, PAGE, table
from tests.crosscheck.jira.saying import GROUPS, Situation
from tests.crosscheck.jira.situations import PARTS, SITUATIONS
from tests.crosscheck.jira.stage import CLOUD, FLAVOURS
from tests.crosscheck.jira.ticket import Stage

LONGEST = 32_767
"""Characters that Jira takes."""
DOES_NOTHING = {
    *("doc", "paragraph", "heading", "text", "bulletList", "orderedList", "listItem", "codeBlock", "hardBreak"),
    *("table", "tableRow", "tableHeader", "tableCell", "rule", "strong", "code", "item", "header", "cell", "mono"),
}
PLAYED = [(one, flavour) for one in SITUATIONS for flavour in one.on]


def named(value):
    return value.name if isinstance(value, Situation) else value


@pytest.fixture
def stage(towns, judging, situation, flavour):
    house = towns(flavour).house(situation.house)
    house.town.told()
    house.clock.back()
    with judging.over(house.town.box), ExitStack() as undo:
        yield Stage(house, undo)


def filled(text, at):
    names = {"key": at.key, "now": at.issue.key, "twin": at.twin, "id": at.id, "number": at.issue.id}
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text.replace("{groups}", GROUPS[at.house.town.flavour])


def check(seen, wanted, at):
    """The same comments in the same order: word for word, or with what they must hold."""
    assert len(seen) == len(wanted), seen
    for text, words in zip((" ".join(one.split()) for one in seen), wanted, strict=True):
        if isinstance(words, str):
            assert text == filled(words, at)
        else:
            assert [part for part in words.holds if filled(part, at) not in text] == [], text
            assert [part for part in words.lacks if part in text] == [], text


@pytest.mark.parametrize(("situation", "flavour"), PLAYED, ids=named)
def test_what_people_see(stage, situation):
    situation.put(stage)
    replies = stage.replies
    check([stage.shown(note) for note in replies], situation.comments, stage)
    assert {stage.audience(note) for note in replies} <= {situation.audience}
    assert stage.record() == filled(situation.record, stage)
    assert stage.files() == [filled(name, stage) for name in situation.files]
    assert not stage.twin or stage.jira.issue(stage.twin).notes == {}, "nothing is said in another ticket"
    box = stage.house.town.box
    places = tuple(f"{url}/" for url in (box.jira_url, box.confluence_url))
    for note in replies:
        assert stage.record(note.id) in {"", "written by the bot itself"}
        active = [what for what in stage.more_than_text(note) if what not in DOES_NOTHING]
        assert [what for what in active if not what.startswith(places)] == []
        assert len(note.wiki or json.dumps(note.body, ensure_ascii=False, separators=(",", ":"))) <= LONGEST


def written(town):
    """The one request that wrote a comment, and Jira's answer."""
    (sent,) = (one for one in town.box.exchanges.all("jira") if one.method == "POST" and one.path.endswith("/comment"))
    return json.loads(sent.body), json.loads(sent.response_body)


@pytest.fixture
def at(towns, flavour):
    house = towns(flavour).house("usual")
    house.town.box.exchanges.clear()
    return Stage(house, ExitStack())


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_group_is_named_by_its_id_on_cloud_and_by_its_name_on_data_center(at, flavour):
    at.open().ask(group="qa-leads")
    asked, _ = written(at.house.town)
    number = at.jira.accounts.group_id("qa-leads")
    by = {"identifier": number} if flavour == CLOUD else {"value": "qa-leads"}
    assert asked["visibility"] == {"type": "group", **by}


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize(
    ("project", "shown", "answered"),
    [
        ("HELP", {"internal": True}, False),
        ("HELP", {"role": AGENTS}, True),
        ("PAY", {}, None),
    ],
)
def test_jira_answers_that_customers_see_it_or_do_not(at, project, shown, answered):
    """A role does not hide from customers: that is told by another field."""
    at.open(project).ask(**shown)
    _, found = written(at.house.town)
    assert found.get("jsdPublic") in ({True, None} if answered is None else {answered})
    assert ("visibility" in found) == ("role" in shown)


def test_the_page_shows_the_same():
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert shown == table(), "run python -m tests.crosscheck.jira.page"


def test_every_situation_has_a_name_of_its_own():
    assert len({(part, one.name, one.on) for part, ones in PARTS.items() for one in ones}) == len(SITUATIONS)
