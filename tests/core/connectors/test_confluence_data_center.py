"""Confluence Data Center: what differs from Cloud. What does not is tested with both, in the files beside this one."""

import json

import pytest

from core import visibility
from core.errors import SourceForbidden, SourceIncomplete
from core.parsing.parsed import Parsed
from sandbox.records import Page, PageVersion
from tests.core.connectors.confluence_parts import by_id, connector
from tests.sandbox_fixtures import DEVELOPER, OWNER, T
from tests.specs import judge

POL = visibility.confluence_space("POL")
ENGINEERING = visibility.restriction(["engineering"], [])
CONTENT = "/confluence/rest/api/content$"


@pytest.fixture
def wiki(box):
    return connector(box, "data center", read=lambda name, data: Parsed(f"{name}: {data.decode('latin-1')}"))


def test_documents(box, wiki):
    found = by_id(wiki.load())
    assert set(found) == {"501", "502", "503", "504", "505"}
    login = found["501"]
    assert login.title == "Login <policy> & rules"
    assert "| right | in |" in login.text
    assert "agreed with Olga Owner" in login.text
    assert login.url == f"{box.confluence_data_center_url}/display/POL/Login%20%3Cpolicy%3E%20%26%20rules"
    assert login.attributes["author"] == OWNER.name
    assert login.attributes["version"] == "2"
    assert login.attributes["labels"] == "a"
    assert login.updated > login.created
    assert found["503"].context == "Policies > Login <policy> & rules > Details > Below details"
    assert found["503"].labels == {POL, ENGINEERING}
    assert found["505"].labels == {
        visibility.confluence_space("LED"), visibility.restriction([], [f"key-{OWNER.id}"])
    }  # fmt: skip


def test_who_asks_is_told_by_a_bearer_token(box, wiki):
    wiki.ids()
    sent = {exchange.headers["authorization"] for exchange in box.exchanges.all()}
    assert sent == {f"Bearer {box.read_token}"}
    wrong = connector(box, "data center")
    wrong._api._wire._client._update_header("Authorization", "Bearer wrong")
    with pytest.raises(SourceForbidden):
        wrong.ids()


@pytest.mark.parametrize("status", [400, 504])
def test_a_page_of_a_listing_that_is_too_much_is_asked_for_in_smaller_parts(box, wiki, status):
    everything = wiki.ids()
    box.exchanges.clear()
    box.faults.add("GET", CONTENT, "status", times=6 if status == 504 else 2, status=status)
    assert wiki.ids() == everything
    asked = [exchange for exchange in box.exchanges.all() if exchange.path.endswith("/content")]
    sizes = [int(exchange.query.partition("limit=")[2].partition("&")[0]) for exchange in asked]
    assert sizes[0] == 200
    assert sizes[-1] == 200
    assert 12 in sizes


def test_a_listing_goes_on_from_where_it_was_told(box, wiki):
    many = [str(number) for number in range(700, 1150)]
    for number in many:
        box.confluence.add_page(page_of(number))
    assert {f"confluence:{number}" for number in many} <= wiki.ids()
    starts = [e.query.partition("start=")[2] for e in box.exchanges.all() if e.path.endswith("/content")]
    assert "400" in {start.partition("&")[0] for start in starts}


def page_of(number):
    return Page(number, "POL", f"Page {number}", (PageVersion(T, OWNER.id, "x"),))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"kind": "status", "times": 99, "status": 500}, "500"),
        ({"kind": "status", "times": 9, "status": 429, "headers": {"retry-after": "60"}}, "429"),
        ({"kind": "status", "status": 200, "body": '{"results": [], "_links": {}}'}, "before its end"),
        ({"kind": "status", "status": 200, "body": '{"results": [], "_links": {"next": "/x?start=0"}}'}, "no way on"),
    ],
)
def test_field_report_p3_a_listing_cut_short_is_never_a_listing(box, wiki, fault, said):
    for number in range(700, 950):
        box.confluence.add_page(page_of(str(number)))

    def order(exchange):
        if "start=200" in exchange.query and "POL" in exchange.query and not box.faults.pending:
            box.faults.add("GET", CONTENT, **fault)

    box.faults.on("GET", CONTENT, order)
    with pytest.raises(SourceIncomplete, match=said) as raised:
        wiki.ids()
    assert "space POL, from 200 of the listing" in str(raised.value)
    box.faults.clear()
    assert len(wiki.ids()) == 255


def test_more_comments_and_files_than_one_answer_holds(box, wiki):
    for number in range(230):
        box.confluence.notes.add("501", f"Comment {number}.", OWNER.id)
    for number in range(60):
        box.confluence.files.add("502", f"{number}.txt", b"x", DEVELOPER.id)
    found = by_id(wiki.load())
    assert len([key for key in found if key.startswith("501:comment:")]) == 230
    assert len([key for key in found if key.startswith("502:attachment:")]) == 60


def test_the_bot_is_known_by_key_or_by_name(box):
    box.confluence.notes.add("501", "Answer.", box.accounts.bot.id)
    for bot in (box.accounts.bot.id, f"key-{box.accounts.bot.id}"):
        wiki = connector(box, "data center", bots=lambda bot=bot: frozenset({bot}))
        assert not [key for key in wiki.ids() if "comment" in key]


def test_a_space_that_is_archived_archives_its_pages(box, wiki):
    spaces = [
        {"id": 65601, "key": "POL", "name": "Policies", "status": "archived"},
        {"id": 65602, "key": "LED", "name": "Leads", "status": "current"},
    ]
    box.faults.add("GET", "/rest/api/space$", "status", times=9, status=200, body=json.dumps({"results": spaces}))
    archived = {page.id for page in wiki._listing().pages.values() if page.archived}
    assert archived == {"501", "502", "503", "504"}


def test_every_exchange_is_as_described(box, wiki, shared):
    note = box.confluence.notes.add("501", "Foot.", OWNER.id)
    box.confluence.notes.add("501", "Reply.", OWNER.id, reply_to=note)
    box.confluence.notes.add("502", "Inline.", OWNER.id, marked="More")
    box.confluence.files.add("501", "a.txt", b"alpha", OWNER.id)
    mark = wiki.mark()
    box.confluence.edit("503", "Changed.")
    box.confluence.notes.edit(note, "Changed.")
    box.confluence.edit("504", "", storage='<ac:structured-macro ac:name="include" />')
    list(wiki.changed_since(mark))
    documents = list(wiki.load())
    wiki.labels_now([document.id for document in documents])
    found = judge(shared)
    assert [problem for exchange in box.exchanges.all() for problem in found.check(exchange)] == []
