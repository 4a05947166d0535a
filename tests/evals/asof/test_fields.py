"""Fields are rolled back by what the history says, whatever shape they have."""

from datetime import UTC, datetime

import pytest

from evals.asof.before import Before
from evals.asof.jira_fields import FOREIGN, UNKNOWN, kinds, then
from evals.asof.remarks import Remarks
from evals.asof.words import BREAK, RUN, numbered, runs, telling, words
from tests.core.parts import Shelf, document

TYPES = "com.atlassian.jira.plugin.system.customfieldtypes:"
FIELDS = [
    {"id": "summary", "name": "Summary"},
    {"id": "status", "name": "Status"},
    {"id": "labels", "name": "Labels"},
    {"id": "fixVersions", "name": "Fix Version/s"},
    {"id": "customfield_1", "name": "Team", "schema": {"custom": f"{TYPES}select"}},
    {"id": "customfield_2", "name": "Size", "schema": {"custom": f"{TYPES}float"}},
    {"id": "customfield_3", "name": "Size", "schema": {"custom": f"{TYPES}textfield"}},
    {"id": "customfield_4", "name": "Score", "schema": {"custom": "com.example.scores:score"}},
    {"id": "customfield_5", "name": "Status", "schema": {"custom": f"{TYPES}textfield"}},
    {"id": "customfield_6", "name": "Rank", "schema": {"custom": "com.pyxis.greenhopper.jira:gh-lexo-rank"}},
]
DONE = {"id": "3", "name": "Done", "statusCategory": {"key": "done"}}
ABOUT = kinds(FIELDS, [DONE, {"id": "1", "name": "Open", "statusCategory": {"key": "new"}}])


def back(fields, *items, key="A-1", earlier=()):
    """A ticket before these changes, given oldest first, each of an entry of its own."""
    entries = [{"id": str(at), "items": [item]} for at, item in enumerate(items)]
    raw = {"id": "7", "key": key, "fields": fields}
    return then(raw, entries[::-1], earlier, ABOUT, {"BB-1": "70", "BB-2": "71"}.get, changed=bool(items))


def item(field, before=None, after=None, **more):
    return {"field": field, "fieldtype": "jira", "fromString": before, "toString": after, **more}


@pytest.mark.parametrize(
    ("name", "now", "changes", "was"),
    [
        ("summary", "third", [item("summary", "first", "second"), item("summary", "second", "third")], "first"),
        ("summary", "now", [item("summary", None, "now")], ""),
        ("description", {"type": "doc"}, [item("description", "h2. Before", "after")], "h2. Before"),
        ("description", "now", [item("description", None, "now")], None),
        ("status", DONE, [{**item("status", "Open", "Done"), "from": "1"}], ABOUT.statuses["1"]),
        ("status", DONE, [item("status", "Gone", "Done")], {"id": "", "name": "Gone"}),
        ("resolution", {"name": "Fixed"}, [item("resolution", None, "Fixed")], None),
        ("priority", {"name": "Low"}, [{**item("priority", "High", "Low"), "from": "2"}], {"id": "2", "name": "High"}),
        ("labels", ["a", "c"], [item("labels", "a b", "a c")], ["a", "b"]),
        ("labels", ["a"], [item("labels", "", "a")], []),
        (
            "fixVersions",
            [{"id": "1", "name": "1.0"}, {"id": "2", "name": "2.0"}],
            [item("Fix Version", "0.9", None, **{"from": "9"}), item("Fix Version", None, "2.0")],
            [{"id": "1", "name": "1.0"}, {"id": "9", "name": "0.9"}],
        ),
        (
            "assignee",
            None,
            [{**item("assignee", "Ann", None), "from": "u-ann"}],
            {"accountId": "u-ann", "name": "u-ann", "displayName": "Ann"},
        ),
        ("parent", {"id": "71"}, [item("Parent", "BB-1", "BB-2")], {"id": "70", "key": "BB-1"}),
        ("parent", {"id": "71"}, [item("IssueParentAssociation", None, "BB-2")], "gone"),
        ("customfield_1", {"value": "Web"}, [item("Team", "Core", "Web", fieldtype="custom")], "Core"),
        ("customfield_1", {"value": "Web"}, [item("any", "Core", "Web", fieldId="customfield_1")], "Core"),
    ],
)
def test_a_field_is_what_it_was_before_its_first_later_change(name, now, changes, was):
    assert back({name: now}, *changes).fields.get(name, "gone") == was


def test_what_is_not_known_for_sure_is_left_out_and_said():
    both = {"customfield_2": 5, "customfield_3": "5", "customfield_1": {"value": "Web"}}
    ambiguous = back(both, item("Size", "4", "5", fieldtype="custom"))
    assert ambiguous.fields == {"customfield_2": None, "customfield_3": None, "customfield_1": {"value": "Web"}}
    unknown = back({**both, "summary": "s"}, item("Former name", "4", "5", fieldtype="custom"))
    assert unknown.fields == {**dict.fromkeys(both), "summary": "s"}
    assert ambiguous.remarks == unknown.remarks == [UNKNOWN]
    foreign = back({"customfield_4": 1, "summary": "now"}, item("summary", "was", "now"))
    assert (foreign.fields, foreign.remarks) == ({"summary": "was"}, [FOREIGN])
    assert back({"customfield_4": 1}).fields == {"customfield_4": 1}


def test_what_tells_todays_state_alone_is_not_taken():
    fields = {"votes": {"votes": 3}, "timespent": 60, "customfield_6": "0|i", "lastViewed": "x", "summary": "s"}
    assert back(fields).fields == {"summary": "s"}


def test_a_systems_field_is_told_from_a_custom_one_of_its_name():
    fields = {"status": DONE, "customfield_5": "mine"}
    assert back(fields, item("status", "Open", "Done")).fields == {
        "status": ABOUT.statuses["Open"],
        "customfield_5": "mine",
    }


def test_a_resolution_that_stood_has_its_own_date():
    resolved = {"created": "2026-01-05T10:00:00Z", "items": [item("resolution", None, "Fixed")]}
    now = {"resolution": None, "resolutiondate": "2026-03-01T00:00:00Z"}
    again = back(now, item("resolution", "Fixed", None), earlier=[resolved])
    assert again.fields == {"resolution": {"id": "", "name": "Fixed"}, "resolutiondate": "2026-01-05T10:00:00Z"}
    assert back({**now, "resolution": DONE}, item("resolution", None, "Fixed")).fields["resolutiondate"] is None


def test_links_go_and_come_back_by_their_relation():
    blocks = {"type": {"outward": "blocks", "inward": "is blocked by"}, "outwardIssue": {"id": "70", "key": "BB-1"}}
    relates = {"type": {"outward": "relates to", "inward": "relates to"}, "outwardIssue": {"id": "70", "key": "BB-1"}}
    came = item("Link", None, "This issue blocks BB-1", to="BB-1")
    assert back({"issuelinks": [blocks, relates]}, came).fields["issuelinks"] == [relates]
    unclear = item("Link", None, "This issue touches BB-1", to="BB-1")
    assert back({"issuelinks": [blocks, relates]}, unclear).fields["issuelinks"] == []
    went = item("Link", "This issue is caused by BB-2", None, **{"from": "BB-2"})
    (link,) = back({"issuelinks": []}, went).fields["issuelinks"]
    assert (link["type"]["outward"], link["outwardIssue"]) == ("is caused by", {"id": "71", "key": "BB-2"})
    gone = item("Link", "This issue is caused by BB-9", None, **{"from": "BB-9"})
    assert back({"issuelinks": []}, gone).fields["issuelinks"] == []


def test_a_ticket_has_the_key_that_it_had():
    assert back({}, item("Key", "A-1", "BB-5"), key="BB-5").key == "A-1"


def test_the_second_guard_drops_documents_that_say_that_they_are_later():
    at, remarks = datetime(2026, 5, 1, tzinfo=UTC), Remarks()
    new = document(id="new", updated=datetime(2026, 6, 1, tzinfo=UTC))
    shelf = Shelf([document(id="old", updated=datetime(2026, 4, 1, tzinfo=UTC)), new], "shelf")
    guarded = Before(shelf, at, remarks)
    assert [one.id for one in guarded.load()] == ["old"]
    assert guarded.ids() == {"old"}
    assert guarded.labels_now(["old", "new"])["new"] is None
    assert remarks.told() == ("Documents of shelf that were written or changed later, left out: 1.",)


def test_a_sentence_is_found_again_however_it_is_marked_up():
    plain, marked = (
        words("Each refund needs two signatures, always."),
        words("each **refund** needs\n> two `signatures` Always"),
    )
    assert plain == marked
    assert set(runs(numbered(plain), RUN).tolist()) == set(runs(numbered(marked), RUN).tolist())
    assert len(runs(numbered(plain), RUN)) == 2
    apart = words(f"each refund needs{BREAK}two signatures always")
    assert not set(runs(numbered(plain), RUN).tolist()) & set(runs(numbered(apart), RUN).tolist())
    assert [telling(words(text)) for text in ("Done", "Lighthouse", "a b c", "see pier 9", "https://a.example/x")] == [
        *(0, 1, 0, 3, 0),
    ]
