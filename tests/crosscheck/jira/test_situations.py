"""Jira in every situation, from a person's comment to what stands in the ticket afterwards."""

import json
from contextlib import ExitStack

import pytest

from tests.crosscheck.jira.making import Stage
from tests.crosscheck.jira.page import BEGIN, END, PAGE, table
from tests.crosscheck.jira.situations import GROUPS, PARTS, SERVICE, SITUATIONS, Situation

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
    box = stage.house.town.box
    places = tuple(f"{url}/" for url in (box.jira_url, box.confluence_url))
    for note in replies:
        active = [what for what in stage.more_than_text(note) if what not in DOES_NOTHING]
        assert [what for what in active if not what.startswith(places)] == []
        assert len(note.wiki or json.dumps(note.body, ensure_ascii=False, separators=(",", ":"))) <= LONGEST
