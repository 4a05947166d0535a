"""Confluence Cloud as a place to talk: comments are written, answered, changed, resolved and removed over REST v2."""

import json

import pytest

from tests.sandbox_fixtures import AGENT, DEVELOPER, OUTSIDER, OWNER, as_person, as_reader, paragraph
from tests.specs import judge

API = "/api/v2"


class Talker:
    """One account at the comments."""

    def __init__(self, sandbox, client):
        self._base = sandbox.confluence_url + "/wiki" + API
        self._session = client.session

    def __call__(self, method, path, asked=None, **query):
        return self._session.request(method, self._base + path, json=asked, params=query, timeout=5)

    def post(self, kind, value="<p>Yes.</p>", **where):
        return self("POST", f"/{kind}-comments", {"body": {"representation": "storage", "value": value}, **where})

    def said(self, kind, number):
        answer = self("GET", f"/{kind}-comments/{number}", **{"body-format": "storage"})
        return answer.json()["body"]["storage"]["value"]


@pytest.fixture
def talker(sandbox, bot):
    return Talker(sandbox, bot)


@pytest.fixture
def person(sandbox):
    clients = []

    def made(who):
        clients.append(as_person(sandbox, who))
        return Talker(sandbox, clients[-1])

    yield made
    for client in clients:
        client.session.close()


def test_a_reply_stands_in_the_thread_that_it_answers(sandbox, talker):
    notes = sandbox.confluence.notes
    about = notes.add("501", "Why five?", OWNER.id, marked="the account is locked")
    foot = notes.add("501", "Who decides?", OWNER.id)
    for kind, parent in (("inline", about), ("footer", foot)):
        answer = talker.post(kind, parentCommentId=parent)
        assert answer.status_code == 201, answer.text
        reply = answer.json()
        assert (reply["parentCommentId"], reply["pageId"]) == (parent, "501")
        assert reply["version"]["authorId"] == sandbox.accounts.bot.id
        children = talker("GET", f"/{kind}-comments/{parent}/children").json()["results"]
        assert [child["id"] for child in children] == [reply["id"]]
    assert reply.get("resolutionStatus") is None
    assert [note.marked for note in notes.thread(notes.get(about))] == ["the account is locked"] * 2


@pytest.mark.parametrize("inline", [True, False])
def test_a_reply_of_the_other_kind_lands_nowhere(sandbox, talker, inline):
    about = sandbox.confluence.notes.add("501", "Why?", OWNER.id, marked="locked" if inline else None)
    assert talker.post("footer" if inline else "inline", parentCommentId=about).status_code == 404
    assert len(list(sandbox.confluence.notes)) == 1


BODIES = {
    "tags": "<p>a</p><ac:structured-macro ac:name='code'><ac:plain-text-body><![CDATA[<p>]]></ac:plain-text-body>"
    "</ac:structured-macro>",
    "entities": "<p>&nbsp;&ldquo;a&rdquo; &amp; &#8212;</p>",
    "remark": "<p>a</p><!-- key -->",
    "no block": "only <strong>text</strong>",
}


@pytest.mark.parametrize("value", BODIES.values(), ids=BODIES)
def test_storage_format_is_kept_as_it_was_sent(talker, value):
    number = talker.post("footer", value, pageId="501").json()["id"]
    assert talker.said("footer", number) == value


UNFIT = {
    "open": "<p>a",
    "crossed": "<p><b>a</p></b>",
    "unknown entity": "<p>&nothing;</p>",
    "bare": "a & b < c",
    "control": "<p>\x01</p>",
    "unknown prefix": "<x:y>a</x:y>",
    "closes the body": "</body><body>",
    "declares": '<!DOCTYPE a [<!ENTITY b "c">]><p>&b;</p>',
    "deep": "<b>" * 101 + "</b>" * 101,
    "empty": "",
    "half a character": "<p>\ud800</p>",
}


@pytest.mark.parametrize("value", UNFIT.values(), ids=UNFIT)
def test_what_is_no_storage_format_is_refused(sandbox, talker, value):
    answer = talker.post("footer", value, pageId="501")
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["status"] == 400
    assert list(sandbox.confluence.notes) == []


def test_what_is_too_large_is_refused(sandbox, talker):
    sandbox.confluence.longest_comment = 20
    assert talker.post("footer", "<p>" + "x" * 14, pageId="501").status_code == 400
    assert talker.post("footer", f"<p>{'x' * 13}</p>", pageId="501").status_code == 201
    assert talker.post("footer", f"<p>{'x' * 14}</p>", pageId="501").status_code == 413


def test_adf_is_taken_too_and_read_in_both_forms(talker):
    asked = {"representation": "atlas_doc_format", "value": json.dumps(paragraph("a < b"))}
    number = talker("POST", "/footer-comments", {"pageId": "501", "body": {"atlas_doc_format": asked}}).json()["id"]
    assert talker.said("footer", number) == "<p>a &lt; b</p>"
    shown = talker("GET", f"/footer-comments/{number}", **{"body-format": "atlas_doc_format"}).json()
    assert json.loads(shown["body"]["atlas_doc_format"]["value"]) == paragraph("a < b")
    for wrong in ("{", "[1]", '{"type": "doc", "version": 1, "content": [{"type": "text"}]}', "[" * 100_000):
        body = {"representation": "atlas_doc_format", "value": wrong}
        assert talker("POST", "/footer-comments", {"pageId": "501", "body": body}).status_code == 400


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"pageId": "501"},
        {"pageId": "501", "parentCommentId": "80001", "body": {"representation": "storage", "value": "<p>a</p>"}},
        {"pageId": "501", "body": {"representation": "storage"}},
        {"pageId": "501", "body": {"representation": "wiki", "value": "a"}},
        {"pageId": "501", "body": ["<p>a</p>"]},
        [],
    ],
)
def test_a_request_that_says_too_little_is_refused(talker, asked):
    assert talker("POST", "/footer-comments", asked).status_code == 400


def test_a_new_inline_comment_names_text_that_is_on_the_page(talker):
    marking = {"textSelection": "account is locked", "textSelectionMatchCount": 1, "textSelectionMatchIndex": 0}
    made = talker.post("inline", pageId="501", inlineCommentProperties=marking).json()
    assert made["properties"]["inlineOriginalSelection"] == "account is locked"
    for wrong in ({}, marking | {"textSelection": "no such"}, marking | {"textSelectionMatchIndex": 1}):
        assert talker.post("inline", pageId="501", inlineCommentProperties=wrong).status_code == 400


def test_an_edit_is_a_version_and_everybody_edits_their_own(sandbox, talker, person):
    number = talker.post("footer", pageId="501").json()["id"]
    body = {"representation": "storage", "value": "<p>No.</p>"}
    path = f"/footer-comments/{number}"
    assert talker("PUT", path, {"version": {"number": 3}, "body": body}).status_code == 409
    assert person(OWNER)("PUT", path, {"version": {"number": 2}, "body": body}).status_code == 403
    changed = talker("PUT", path, {"version": {"number": 2, "message": "better"}, "body": body})
    assert (changed.status_code, changed.json()["version"]["message"]) == (200, "better")
    versions = talker("GET", f"{path}/versions", **{"body-format": "storage"}).json()["results"]
    assert [one["comment"]["body"]["storage"]["value"] for one in versions] == ["<p>No.</p>", "<p>Yes.</p>"]
    assert talker("GET", f"{path}/versions/1").json()["nextVersion"] == 2
    first = talker("GET", path, **{"version": 1, "body-format": "storage"}).json()
    assert first["body"]["storage"]["value"] == "<p>Yes.</p>"
    assert talker("GET", path, version=3).status_code == 404
    assert sandbox.confluence.notes.get(number).author == sandbox.accounts.bot.id


def test_everybody_removes_their_own(sandbox, talker, person):
    theirs = sandbox.confluence.notes.add("501", "Mine.", OWNER.id)
    own = talker.post("footer", parentCommentId=theirs).json()["id"]
    assert talker("DELETE", f"/footer-comments/{theirs}").status_code == 403
    assert person(OWNER)("DELETE", f"/footer-comments/{own}").status_code == 403
    assert talker("DELETE", f"/inline-comments/{own}").status_code == 404
    assert talker("DELETE", f"/footer-comments/{own}").status_code == 204
    assert talker("DELETE", f"/footer-comments/{own}").status_code == 404
    assert [note.id for note in sandbox.confluence.notes] == [theirs]


def test_a_thread_is_resolved_reopened_and_left_dangling(sandbox, talker):
    notes = sandbox.confluence.notes
    about = notes.add("501", "Why?", OWNER.id, marked="locked")
    reply = talker.post("inline", parentCommentId=about).json()["id"]

    def states():
        return [talker("GET", f"/inline-comments/{one}").json()["resolutionStatus"] for one in (about, reply)]

    assert states() == ["open", "open"]
    assert talker("PUT", f"/inline-comments/{about}", {"resolved": True}).status_code == 200
    settled = talker("GET", f"/inline-comments/{about}").json()
    assert settled["resolutionLastModifierId"] == sandbox.accounts.bot.id
    assert settled["version"]["number"] == 1
    assert states() == ["resolved", "resolved"]
    open_ones = {"resolution-status": "open"}
    assert talker("GET", "/pages/501/inline-comments", **open_ones).json()["results"] == []
    assert talker("PUT", f"/inline-comments/{reply}", {"resolved": False}).json()["resolutionStatus"] == "reopened"
    notes.resolve(about)
    assert talker.post("inline", parentCommentId=about).json()["resolutionStatus"] == "resolved"
    notes.resolve(about, "dangling")
    assert states() == ["dangling", "dangling"]
    assert talker("PUT", f"/inline-comments/{about}", {"resolved": True}).status_code == 400


def test_the_first_comment_of_a_thread_can_go_alone_or_with_the_rest(sandbox, talker):
    notes = sandbox.confluence.notes
    for alone in (True, False):
        about = notes.add("501", "Why?", OWNER.id, marked="locked")
        reply = notes.add("501", "So.", DEVELOPER.id, reply_to=about)
        (notes.remove if alone else notes.remove_thread)(about)
        assert talker("GET", f"/inline-comments/{about}").status_code == 404
        assert talker.post("inline", parentCommentId=about).status_code == 404
        assert talker("GET", f"/inline-comments/{reply}").status_code == (200 if alone else 404)
        assert (notes.get(reply) is not None) is alone


def test_properties_are_kept_at_a_comment(talker, person):
    number = talker.post("footer", pageId="501").json()["id"]
    path = f"/comments/{number}/properties"
    made = talker("POST", path, {"key": "crosscheck", "value": {"key": "k1"}})
    assert (made.status_code, made.json()["version"]["number"]) == (200, 1)
    one = f"{path}/{made.json()['id']}"
    assert talker("POST", path, {"key": "crosscheck", "value": 1}).status_code == 409
    assert person(OWNER)("POST", path, {"key": "other", "value": 1}).status_code == 403
    assert person(OWNER)("GET", path, key="crosscheck").json()["results"][0]["value"] == {"key": "k1"}
    assert talker("GET", path, key="none").json()["results"] == []
    next_one = {"key": "crosscheck", "value": 2, "version": {"number": 2}}
    assert talker("PUT", one, next_one | {"version": {"number": 4}}).status_code == 409
    assert talker("PUT", one, next_one | {"key": "other"}).status_code == 400
    assert talker("PUT", one, next_one).json()["value"] == 2
    with_them = talker("GET", f"/footer-comments/{number}", **{"include-properties": "true"}).json()
    assert [held["key"] for held in with_them["properties"]["results"]] == ["crosscheck"]
    assert talker("POST", path, {"key": "long", "value": "x" * 40_000}).status_code == 400
    assert talker("POST", path, {"key": "", "value": 1}).status_code == 400
    assert talker("DELETE", one).status_code == 204
    assert talker("GET", one).status_code == 404


CLOSED = {
    "in the trash": (lambda wiki: wiki.set_status("501", "trashed"), 404),
    "restricted": (lambda wiki: wiki.restrict("501", users=(OWNER.id,)), 404),
    "under a restricted page": (lambda wiki: wiki.move("501", parent="505"), 404),
    "archived": (lambda wiki: wiki.set_status("501", "archived"), 403),
    "space archived": (lambda wiki: wiki.lock_space("POL"), 403),
    "not allowed": (lambda wiki: wiki.silence("POL", "crosscheck-bot"), 403),
    "gone": (lambda wiki: wiki.purge("501"), 404),
}


@pytest.mark.parametrize(("close", "status"), CLOSED.values(), ids=CLOSED)
def test_where_no_comment_can_be_written(sandbox, talker, close, status):
    foot = sandbox.confluence.notes.add("501", "Who?", OWNER.id)
    own = talker.post("footer", pageId="501").json()["id"]
    close(sandbox.confluence)
    before = len(list(sandbox.confluence.notes))
    assert talker.post("footer", pageId="501").status_code == status
    assert talker.post("footer", parentCommentId=foot).status_code == status
    assert talker("DELETE", f"/footer-comments/{own}").status_code == status
    assert talker("POST", f"/comments/{own}/properties", {"key": "k", "value": 1}).status_code == status
    assert len(list(sandbox.confluence.notes)) == before
    assert talker("GET", f"/footer-comments/{foot}").status_code == (404 if status == 404 else 200)


def test_an_archived_space_says_so(sandbox, talker):
    sandbox.confluence.lock_space("POL")
    assert talker("GET", "/spaces/65601").json()["status"] == "archived"
    assert [space["key"] for space in talker("GET", "/spaces", status="archived").json()["results"]] == ["POL"]
    assert "POL" not in [space["key"] for space in talker("GET", "/spaces").json()["results"]]


def test_what_was_closed_can_be_opened_again(sandbox, talker):
    wiki, bot = sandbox.confluence, sandbox.accounts.bot.id
    wiki.set_status("501", "trashed")
    wiki.lock_space("POL")
    wiki.silence("POL", bot)
    wiki.set_status("501", "current")
    wiki.lock_space("POL", locked=False)
    wiki.allow("POL", bot)
    assert talker.post("footer", pageId="501").status_code == 201


def test_the_reading_account_writes_nothing_and_a_removed_one_is_gone(sandbox, reader, talker, person):
    assert Talker(sandbox, reader).post("footer", pageId="501").status_code == 403
    owner = person(OWNER)
    number = owner.post("footer", pageId="501").json()["id"]
    sandbox.confluence.remove_user(OWNER.id)
    assert owner.post("footer", pageId="501").status_code == 401
    assert talker("GET", f"/footer-comments/{number}").json()["version"]["authorId"] == OWNER.id
    assert talker("POST", "/users-bulk", {"accountIds": [OWNER.id]}).json()["results"] == []
    assert reader.wiki("/rest/api/user/memberof", accountId=OWNER.id).json()["results"] == []


def test_the_editor_adds_ids_and_drops_remarks_when_told_to(sandbox, talker):
    sent = '<p>a</p><!-- k --><ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[<p><!-- -->]]>'
    sent += "</ac:plain-text-body></ac:structured-macro>"
    number = talker.post("footer", sent, pageId="501").json()["id"]
    sandbox.confluence.rewrites = True
    read = talker.said("footer", number)
    assert read == talker.said("footer", number)
    assert 'local-id="' in read
    assert 'ac:macro-id="' in read
    assert "k --" not in read
    assert "<![CDATA[<p><!-- -->]]>" in read
    sandbox.confluence.rewrites = False
    assert talker.said("footer", number) == sent


def test_pages_below_earlier_versions_and_groups(sandbox, talker, reader, person):
    assert person(AGENT)("GET", "/pages/501/children").json()["results"] == []  # what is below is for engineers
    below = Talker(sandbox, reader)("GET", "/pages/501/direct-children").json()["results"]
    assert [(one["id"], one["type"]) for one in below] == [("502", "page")]
    assert talker("GET", "/pages/501/versions/2").json()["prevVersion"] == 1
    assert talker("GET", "/pages/501/versions/3").status_code == 404
    assert person(OUTSIDER)("GET", "/pages/505/versions/1").status_code == 404
    groups = reader.wiki("/rest/api/user/memberof", accountId=DEVELOPER.id).json()
    assert [group["name"] for group in groups["results"]] == ["engineering"]
    assert person(AGENT)("GET", "/pages/502/children").status_code == 404


def test_what_is_written_and_answered_is_as_described(sandbox, talker, shared):
    notes = sandbox.confluence.notes
    about = notes.add("501", "Why @[u-owner]?", OWNER.id, marked="locked")
    foot = notes.add("501", "Who?", OWNER.id)
    asked = {"representation": "storage", "value": "<p>Yes.</p>"}
    for kind, parent in (("inline", about), ("footer", foot)):
        every = f"/{kind}-comments"
        number = talker.post(kind, parentCommentId=parent).json()["id"]
        talker.post(kind, "<p>", parentCommentId=parent)
        talker("POST", every, {"parentCommentId": parent, "body": {"storage": asked}})
        talker("GET", f"{every}/{number}", **{"body-format": "atlas_doc_format", "include-properties": "true"})
        talker("GET", f"{every}/{parent}/children", **{"body-format": "storage", "limit": 1})
        talker("PUT", f"{every}/{number}", {"version": {"number": 2}, "body": asked})
        talker("GET", f"{every}/{number}/versions", **{"body-format": "storage"})
        talker("GET", f"{every}/{number}/versions/1")
        held = talker("POST", f"/comments/{number}/properties", {"key": "k", "value": {"a": 1}}).json()["id"]
        talker("GET", f"/comments/{number}/properties", key="k")
        talker("PUT", f"/comments/{number}/properties/{held}", {"key": "k", "value": 2, "version": {"number": 2}})
        talker("DELETE", f"/comments/{number}/properties/{held}")
        talker("DELETE", f"{every}/{number}")
    talker("PUT", f"/inline-comments/{about}", {"resolved": True})
    talker("GET", f"/inline-comments/{about}")
    marking = {"textSelection": "account", "textSelectionMatchCount": 1, "textSelectionMatchIndex": 0}
    talker.post("inline", pageId="501", inlineCommentProperties=marking)
    for path in ("/pages/501/children", "/pages/501/direct-children", "/pages/501/versions/1"):
        talker("GET", path)
    reader = as_reader(sandbox)
    reader.wiki("/rest/api/user/memberof", accountId=OWNER.id)
    reader.session.close()
    exchanges = sandbox.exchanges.all()
    assert len(exchanges) == 33
    found = {f"{e.method} {e.path} {e.status}": problems for e in exchanges if (problems := judge(shared).check(e))}
    assert found == {}
