"""Whole scenarios: real worker threads, poller and webhooks against the sandbox, judged by what is in the tickets."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

import httpx
import pytest

from core.types import Query
from crosscheck.wiring import Program
from evals.playground import OPENED, delivery_key
from evals.playground import company as small_company
from review.case import Checked, Rule
from review.service import Reviewer
from review.types import Cited, Finding, Priority
from review.words import defaults
from sandbox.load import load_company
from sandbox.records import Comment, Link
from sandbox.server import Sandbox
from tests.crosscheck.live import Small, at_work, opened, quick, text_of, until
from tests.fakes import Tally
from tests.specs import judge

OWNERS = "Product owners"


@pytest.fixture(scope="module")
def company():
    return load_company()


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("scenarios")


@pytest.fixture(scope="module")
def live(company, home):
    """The whole company, webhooks and polls on; one question was there before the first start."""
    with opened(company, home) as made:
        old = made.box.jira.add_comment("BKG-143", company.tickets[0].reporter, "#qa-check")
        program = Program(quick(made.settings), made.secrets, metrics=Tally())
        with at_work(made.box, program) as running:
            running.old = old
            yield running


@pytest.fixture
def polled(live):
    """Webhooks off: only the poller sees what is written."""
    fire = live.box.jira.fire
    live.box.jira.fire = lambda *_: None
    yield live
    live.box.jira.fire = fire


@pytest.fixture
def box():
    with Sandbox.start(small_company(4)) as started:
        yield started


def visibility(raw):
    return raw.get("visibility"), raw["jsdPublic"]


# Once, to the same audience


@pytest.mark.parametrize("shown", [{"role": OWNERS}, {"group": "security-team"}, {}])
def test_a_comment_is_answered_for_the_same_readers(live, shown, shared):
    asked = live.ask("BKG-142", **shown)
    reply = live.answer("BKG-142", asked)
    question = next(raw for raw in live.box.jira.comments("BKG-142") if raw["id"] == asked)
    assert visibility(reply) == visibility(question)
    assert reply["author"]["accountId"] == live.box.accounts.bot.id
    assert judge(shared).adf(reply["body"]) == []
    assert "answer is late" not in text_of(reply["body"])


def test_a_restricted_comment_that_only_the_poller_sees(polled):
    asked = polled.ask("BKG-142", role=OWNERS)
    until(lambda: polled.job(asked), "the poll")
    assert polled.answer("BKG-142", asked)["visibility"]["value"] == OWNERS
    assert "poll" in polled.job(asked).events[0].detail


def test_polls_and_repeated_webhooks_at_once_make_one_reply(live):
    live.box.webhooks.copies = 4
    try:
        asked = [live.ask("BKG-104") for _ in range(5)]
        live.quiet()
    finally:
        live.box.webhooks.copies = 1
    assert [len(live.replies("BKG-104", one)) for one in asked] == [1] * 5


def test_two_events_about_one_comment_in_the_same_instant(polled):
    """Field report D2: the comment's own event, and the ticket's that carries it, to a service with two workers."""
    asked = polled.ask("BKG-131")
    issue = {"id": polled.box.jira.issue("BKG-131").id, "key": "BKG-131"}
    comment = {"id": asked, "body": "#qa-check", "self": ""}
    now = round(time.time() * 1000)
    events = [
        {"timestamp": now, "webhookEvent": "comment_created", "issue": issue, "comment": comment},
        {
            "timestamp": now,
            "webhookEvent": "jira:issue_updated",
            "issue_event_type_name": "issue_closed",
            "issue": issue,
            "comment": comment,
        },
    ]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda event: deliver(polled, event), events * 4))
    assert {answer.status_code for answer in answers} == {200}
    polled.quiet()
    assert len(polled.replies("BKG-131", asked)) == 1


def deliver(live, event):
    request = httpx.Request("POST", f"{live.url}/webhooks/jira", json=event)
    request.headers["X-Hub-Signature"] = live.box.webhooks.signature(request.content)
    with httpx.Client(trust_env=False) as client:
        return client.send(request)


def test_what_was_asked_before_the_first_start_is_not_answered_even_when_it_is_edited(live):
    live.box.jira.edit_comment("BKG-143", live.old, "#qa-check once more")
    live.quiet()
    assert live.replies("BKG-143", live.old) == []
    assert "before this installation" in live.settled(live.old).result["ignored"]


def test_an_edited_comment_does_not_ask_again_and_a_new_one_does(live):
    asked = live.ask("BKG-134")
    live.answer("BKG-134", asked)
    live.box.jira.edit_comment("BKG-134", asked, "#qa-check and thank you")
    live.quiet()
    assert len(live.replies("BKG-134", asked)) == 1
    assert live.answer("BKG-134", live.ask("BKG-134"))


def test_the_events_in_the_wrong_order(live):
    """Field report D4: updated before created, deleted before created."""
    live.box.webhooks.reorder = 2
    try:
        edited = live.ask("BKG-139")
        live.box.jira.edit_comment("BKG-139", edited, "#qa-check, please")
        live.quiet()
        with live.box.jira.lock:
            deleted = live.ask("BKG-139")
            live.box.jira.delete_comment("BKG-139", deleted)
        live.quiet()
    finally:
        live.box.webhooks.reorder = 1
    assert len(live.replies("BKG-139", edited)) == 1
    assert live.replies("BKG-139", deleted) == []
    gone = live.job(deleted)
    assert gone is None or gone.job.state == "gone"


def during_review(live, key, change):
    """Have something happen once, while the ticket is read for the review."""
    done = []

    def once(_exchange):
        if not done:
            done.append(True)
            change()

    live.box.faults.on("GET", rf"/issue/{live.box.jira.issue(key).id}/changelog", once)


@pytest.fixture
def meanwhile(live):
    yield lambda key, change: during_review(live, key, change)
    live.box.faults.clear()


def test_a_question_deleted_before_its_reply_gets_none(live, meanwhile):
    with live.box.jira.lock:
        asked = live.ask("BKG-145")
        meanwhile("BKG-145", lambda: live.box.jira.delete_comment("BKG-145", asked))
    view = live.settled(asked)
    assert [post.state for post in view.posts] == ["dropped"]
    assert live.replies("BKG-145", asked) == []


def test_a_question_narrowed_between_event_and_reply_gets_the_narrow_reply(live, meanwhile):
    """Field report V2."""
    with live.box.jira.lock:
        asked = live.ask("BKG-147")
        meanwhile("BKG-147", lambda: live.box.jira.set_visibility("BKG-147", asked, role=OWNERS))
    assert live.answer("BKG-147", asked)["visibility"]["value"] == OWNERS


def test_a_question_opened_between_event_and_reply_is_reviewed_again_for_everybody(live, meanwhile):
    with live.box.jira.lock:
        asked = live.ask("BKG-142", role=OWNERS)
        meanwhile("BKG-142", lambda: live.box.jira.set_visibility("BKG-142", asked))
    reply = live.answer("BKG-142", asked)
    assert "visibility" not in reply
    assert any(event.what == "review is made again" for event in live.settled(asked).events)
    assert "jira:BKG:role:Product owners" not in live.settled(asked).result["review"]["audience"]


# A service desk


def test_the_three_runs_of_field_report_v1(live):
    """Internal note; role but public to customers; an ordinary project. Judged on the raw comments."""
    agent = live.person("Piet Hoekstra")
    internal = live.answer("DESK-213", live.ask("DESK-213", by=agent, internal=True))
    assert visibility(internal) == (None, False)
    to_role = live.answer("DESK-213", live.ask("DESK-213", by=agent, role="Service Desk Team"))
    assert to_role["visibility"]["value"] == "Service Desk Team"
    assert to_role["jsdPublic"] is True
    plain = live.answer("GATE-31", live.ask("GATE-31"))
    assert visibility(plain) == (None, True)


def test_a_customers_question_is_told_to_ask_internally(live):
    reply = live.answer("DESK-210", live.ask("DESK-210"))
    assert reply["jsdPublic"] is True
    assert "internal comment" in text_of(reply["body"])


def test_a_reply_that_comes_out_wider_is_taken_back_at_once(live):
    live.box.faults.add("POST", r"/comment$", "wider")
    asked = live.ask("BKG-150", role=OWNERS)
    view = live.settled(asked)
    assert live.replies("BKG-150", asked) == []
    assert [post.state for post in view.posts] == ["failed"]
    assert "more people than asked" in view.posts[0].error


# What is no question


def test_only_a_comment_that_asks_is_answered(live):
    """Field report D3."""
    code = {"type": "text", "text": "#qa-check", "marks": [{"type": "code"}]}
    silent = [
        live.ask("BKG-153", by=live.box.accounts.bot.id),
        live.ask("BKG-153", "> #qa-check\n\nthanks"),
        live.ask("BKG-153", adf=document(paragraph(code))),
        live.ask("BKG-153", "```\n#qa-check\n```"),
        live.ask("BKG-153", "#qa-checks"),
    ]
    asking = [
        live.ask("BKG-153", adf=document(paragraph({"type": "text", "text": "#qa-check\r\n"}))),
        live.ask("BKG-153", adf=document(paragraph({"type": "text", "text": "#qa-check\u00a0"}))),
    ]
    live.quiet()
    assert [len(live.replies("BKG-153", one)) for one in silent] == [0] * len(silent)
    assert [len(live.replies("BKG-153", one)) for one in asking] == [1] * len(asking)


def document(*blocks):
    return {"type": "doc", "version": 1, "content": list(blocks)}


def paragraph(*spans):
    return {"type": "paragraph", "content": list(spans)}


def test_a_comment_as_long_as_jira_takes_with_emoji_other_scripts_and_nul(live, shared):
    text = "#qa-check \U0001f468\u200d\U0001f469 \u05e9\u05dc\u05d5\u05dd \u202eabc\u202c a\x00b \ud800 TBD? "
    asked = live.ask("BKG-156", adf=document(paragraph({"type": "text", "text": (text * 800)[:32_000]})))
    reply = live.answer("BKG-156", asked)
    assert judge(shared).adf(reply["body"]) == []
    again = live.answer("BKG-156", live.ask("BKG-156"))  # now the long one is a comment of the ticket
    assert judge(shared).adf(again["body"]) == []
    assert "\x00" not in text_of(again["body"])


# Restricted facts


def test_no_restricted_fact_stands_in_a_reply_for_wider_readers(live, company):
    """Everybody's question in every ticket, and the other roles' where something is restricted to one."""
    asked = []
    for ticket in company.tickets:
        project = next(p for p in company.projects if ticket.key.startswith(f"{p.key}-"))
        asked.append((ticket, live.ask(ticket.key), public_labels(company, project, ticket)))
        if any(marker.where == f"ticket {ticket.key}" for marker in company.markers):
            for role in project.roles:
                held = {f"jira:{project.key}:role:{role}"} | public_labels(company, project, ticket)
                asked.append((ticket, live.ask(ticket.key, role=role), held))
            for group in ("security-team", "leadership"):
                held = {f"jira:group:{group}"} | public_labels(company, project, ticket)
                asked.append((ticket, live.ask(ticket.key, group=group), held))
            if project.service_desk:
                held = {"jira:internal", *company.open_to_all}
                asked.append((ticket, live.ask(ticket.key, internal=True), held))
    answered = 0
    for ticket, comment, held in asked:
        live.settled(comment)
        for reply in live.replies(ticket.key, comment):
            answered += 1
            said = text_of(reply["body"])
            leaked = [m.word for m in company.markers if m.word in said and not set(m.labels) <= held]
            assert leaked == [], (ticket.key, reply.get("visibility"))
    assert answered >= len(company.tickets)


def public_labels(company, project, ticket):
    """What the readers of a comment that is not restricted hold."""
    if project.service_desk:
        return set()
    secured = {f"jira:{project.key}:security:{ticket.security}"} if ticket.security else set()
    return {*company.open_to_all, *secured}


def test_a_restricted_word_is_found_by_its_readers_alone(live, company):
    everybody = "org"
    others = [everybody, "jira:BKG", "jira:BKG:role:Developers,org", "jira:group:engineering,org", "jira:internal"]
    for marker in company.markers:
        labels = as_jira_says(live, marker.labels)
        assert marker.word in found(live, marker.word, ",".join(labels)), "its readers find it"
        for audience in others:
            if not labels <= live.program.audiences.named(audience).labels:
                assert marker.word not in found(live, marker.word, audience), (marker, audience)


def as_jira_says(live, labels):
    """The company names groups and security levels as people do; Jira's labels have their ids."""
    named = set()
    for label in labels:
        kind = label.split(":")
        if kind[1] == "group":
            named.add(f"jira:group:{live.box.accounts.group_id(kind[2])}")
        elif kind[2:3] == ["security"]:
            secured = next(
                i for i in live.box.jira.issues.values() if i.project.key == kind[1] and i.security == kind[3]
            )
            raw = live.program.jira_reader.api.issue(secured.key, "security")
            named.add(f"{':'.join(kind[:3])}:{raw['fields']['security']['id']}")
        else:
            named.add(label)
    return named


def found(live, text, audience):
    result = live.program.searcher.search(Query(text, limit=20), live.program.audiences.named(audience))
    return " ".join(f"{e.text} {e.context} {e.locator.label}" for e in result.evidence)


def test_a_page_that_gives_orders_changes_no_review(live, company, tmp_path):
    assert "every AI assistant" in found(live, "failed sign-in attempts are not limited", "org")
    innocent = replace(company, pages=tuple(page for page in company.pages if page.id != "7108"))
    keys = [ticket.key for ticket in company.tickets if ticket.key.startswith("BKG-")]
    with opened(innocent, tmp_path) as made:
        program = Program(made.settings, made.secrets)
        try:
            for name in program.sources.names([]):
                program.sources.sync(name, True, lambda _message: None)
            without = {key: told(program, key) for key in keys}
        finally:
            program.close()
    assert {key: told(live.program, key) for key in keys} == without


def told(program, key):
    """What a review finds, but for open questions: the other tests ask some."""
    review = program.reviewer.review(key, program.audiences.named("org"))
    return [(f.rule, f.priority, f.question) for f in review.findings if f.rule != "unanswered-question"]


# Small companies


def test_a_late_answer_says_that_it_is_late(box, tmp_path):
    """The service is down while the comment is written, and comes back an hour later."""

    def earlier(minutes):
        return lambda: datetime.now(UTC) - timedelta(minutes=minutes)

    box.jira.now = earlier(120)
    with at_work(box, Small(box, tmp_path, clock=earlier(120)), index=False, webhooks=False) as before:
        before.quiet()
        prompt = before.ask("RUN-1")
        until(lambda: before.job(prompt), "the poll")
        assert "answer is late" not in text_of(before.answer("RUN-1", prompt)["body"])
    box.jira.now = earlier(61)
    asked = before.ask("RUN-2")
    box.jira.now = earlier(0)
    with at_work(box, Small(box, tmp_path), index=False, webhooks=False) as after:
        until(lambda: after.job(asked), "the poll")
        reply = after.answer("RUN-2", asked)
        after.quiet()
    assert "This answer is late by 1 hour" in text_of(reply["body"])
    assert len(after.replies("RUN-1", prompt)) == 1


@pytest.mark.parametrize(("status", "says"), [(403, "Browse projects"), (404, "not there, or not for the bot")])
def test_a_comment_that_cannot_be_read_gets_no_reply_and_the_job_says_why(box, tmp_path, status, says):
    """Field report V2: 404, then 403, are not public."""
    with at_work(box, Small(box, tmp_path), index=False) as live:
        with box.jira.lock:
            asked = live.ask("RUN-1", role="Leads")
            box.faults.add("GET", rf"/comment/{asked}$", "status", 100, status=status)
        view = until(lambda: (job := live.job(asked)) and (job.job.error or job.result) and job, "an attempt's end")
        assert says in str((view.job.error, view.result))
        assert view.job.attempts == 1
        assert view.job.due is None or view.job.due - view.events[-1].at >= timedelta(minutes=9)
        assert live.replies("RUN-1", asked) == []


def test_a_ticket_with_five_thousand_comments(tmp_path):
    comments = tuple(
        Comment("dev-1", OPENED + timedelta(minutes=n), f"Note {n}: is the limit of {n} still open?")
        for n in range(5000)
    )
    small = small_company(1)
    big = replace(small, tickets=(replace(small.tickets[0], comments=comments),))
    with Sandbox.start(big) as box, at_work(box, Small(box, tmp_path), index=False) as live:
        began = time.monotonic()
        asked = live.ask("RUN-1")
        reply = live.answer("RUN-1", asked)
        assert time.monotonic() - began < 20
        assert "TBD" in text_of(reply["body"])


def test_a_circle_of_links(tmp_path):
    small = small_company(3)
    circle = tuple(
        replace(ticket, links=(Link("Blocks", small.tickets[(n + 1) % 3].key),), parent=None)
        for n, ticket in enumerate(small.tickets)
    )
    with Sandbox.start(replace(small, tickets=circle)) as box, at_work(box, Small(box, tmp_path), index=False) as live:
        for ticket in circle:
            assert live.answer(ticket.key, live.ask(ticket.key))


def say_much(case):
    """Ten findings as long as they may be, each with six quotes."""
    ticket = case.ticket
    quotes = [part for part in ticket.description.split("\n") if part]

    def finding(number):
        mine = quotes[6 * number : 6 * number + 6]
        cited = tuple(Cited(ticket.locator, ticket.labels, quote) for quote in mine)
        texts = (f"{number} {word * 100}" for word in ("states ", "counts ", "asks "))
        return Finding("much", f"category {number}", Priority.P1, *texts, cited)

    return Checked(tuple(finding(number) for number in range(10)))


class Wordy(Small):
    """A program with one rule, which says much."""

    @cached_property
    def reviewer(self):
        return Reviewer(
            self.jira_reader,
            self.searcher,
            self.sources.freshness,
            rules=(Rule("much", "says much", say_much),),
            words=defaults(("en",)),
            clock=self.clock,
            metrics=self.metrics,
        )


def test_a_long_reply_comes_in_parts_in_order_with_the_same_visibility(tmp_path, shared):
    small = small_company(1)
    text = "\n\n".join(f"Line {n} {'of what was asked in this long story ' * 7}" for n in range(60))
    long = replace(small, tickets=(replace(small.tickets[0], description=text),))
    with Sandbox.start(long) as box, at_work(box, Wordy(box, tmp_path), index=False) as live:
        asked = live.ask("RUN-1", role="Leads")
        posts = live.settled(asked).posts
        parts = live.replies("RUN-1", asked)
    assert len(parts) > 1
    assert [(post.part, post.state, post.remote_id) for post in posts] == [
        (number, "sent", part["id"]) for number, part in enumerate(parts, 1)
    ]
    assert {part["visibility"]["value"] for part in parts} == {"Leads"}
    assert len({delivery_key(part) for part in parts}) == len(parts)
    assert [judge(shared).adf(part["body"]) for part in parts] == [[]] * len(parts)
    assert text_of(parts[0]["body"]).startswith("RUN-1: 10 points to settle")
    assert "continued" in text_of(parts[1]["body"])[:40]
    said = "".join(text_of(part["body"]) for part in parts)
    assert all(f"category {number}" in said for number in range(10))


def test_without_posting_everything_is_done_and_nothing_posted(box, tmp_path):
    with at_work(box, Small(box, tmp_path, changes={"posting": False}), index=False) as live:
        asked = live.ask("RUN-1")
        view = live.settled(asked)
        live.quiet()
        assert live.replies("RUN-1", asked) == []
        assert [post.state for post in view.posts] == ["held"]
        assert "RUN-1: " in view.result["reply"]
    assert not [e for e in box.exchanges.all("jira") if e.method == "POST" and e.path.endswith("/comment")]
