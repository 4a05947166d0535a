"""Laws 3 and 4, whole: no post is wider than its trigger, no restricted text stands in a wider post.

A state machine over comments with every visibility, edited between question and answer, and over sources that are
opened and closed meanwhile, at the source or in the index too. Real parts: the sandbox's Jira over HTTP, the posting
client, SQLite, the vector index, search, the reviewer. One rule tells everything it can find, which is the worst that a
rule can do.
"""

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bots.jira.client import JiraClient
from core import visibility
from core.connectors.jira import JiraReader
from core.embedders import Embedders
from core.embedding.static import StaticEmbedder
from core.ingest import Ingest
from core.search import Searcher
from core.store.edge import EdgeStore
from core.types import Document, NullMetrics, Query
from crosscheck.admission import Admission
from crosscheck.audience import Audiences
from crosscheck.comments.intake import KIND
from crosscheck.comments.parts import CommentParts
from crosscheck.comments.surface import Surface
from crosscheck.delivery import BySurface
from crosscheck.memory import Memory
from crosscheck.replies import Replies
from crosscheck.settings_commands import Commands
from crosscheck.settings_running import Limits
from crosscheck.worker import Worker, patient
from evals.playground import OPENED
from review.case import Checked, Rule
from review.service import Reviewer
from review.types import Cited, Finding, Priority, Settled
from review.words import defaults
from sandbox.records import Company, Person, Project, Ticket
from sandbox.server import Sandbox
from state.cursors import Cursors
from state.db import open_database
from state.jobs import Jobs
from state.limits import Asked
from state.outbox import Outbox
from state.registry import Registry
from state.reviews import Reviews

HOLDERS = {"jira:LAW": ["org"], "jira:LAW:role:Leads": ["confluence:BOARD"], "jira:group:qa": ["confluence:QA"]}
SEEN_BY = [{}, {"role": "Leads"}, {"role": "Devs"}, {"group": "qa"}]
LABELS = ["org", "confluence:BOARD", "confluence:QA", "jira:LAW:role:Leads", "jira:LAW:security:Secret", "repo:vault"]
SOURCE = st.tuples(st.integers(0, 5), st.sets(st.sampled_from(LABELS), min_size=1, max_size=2))
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("shown"), st.sampled_from(SEEN_BY)),
        st.tuples(st.just("security"), st.sampled_from([None, "Secret"])),
        st.tuples(st.just("source"), SOURCE),
        st.tuples(st.just("sweep"), st.none()),
        st.tuples(st.just("wider"), st.none()),
    ),
    max_size=2,
)
TOPICS = (
    "The quarterly report leaves by courier on the first Monday, sealed.",
    "Every export is signed by two accountants before anybody opens it.",
    "Archive copies of the report are kept in the cellar next to the boiler.",
    "Export files are named after rivers; lakes are for drafts only.",
    "Numbers in a quarterly summary are rounded to whole thousands.",
    "Nobody reads the appendix, says the survey about the report.",
)
DOCUMENTS = len(TOPICS)


def law_company() -> Company:
    people = tuple(Person(f"p-{n}", f"Person {n}", f"p{n}@example.com", groups=("qa",)) for n in range(2))
    everybody = tuple(person.id for person in people)
    bot = ("crosscheck-bot",)
    project = Project(
        "LAW",
        "Laws",
        {"Leads": (*everybody, *bot), "Devs": (*everybody, *bot)},
        security_levels={"Secret": (*everybody, *bot)},
    )
    ticket = Ticket("LAW-1", "Story", "Export quarterly report", "Export it.", "Open", "p-0", OPENED, OPENED)
    return Company(people, (project,), (ticket,), (), (), (), ())


def tell_everything(case):
    """Everything that the search gives this audience: the first half quoted in findings, the rest told uncited."""
    found = case.search(Query("quarterly report export", limit=50)).evidence
    told = found[len(found) // 2 :]
    findings = tuple(
        Finding(
            "everything",
            "conflict",
            Priority.P1,
            f"{evidence.document_id} says something.",
            "It may matter.",
            "Is it so?",
            (Cited(evidence.locator, evidence.labels, evidence.text),),
        )
        for evidence in found[: len(found) // 2]
    )
    sources = frozenset(evidence.document_id for evidence in told)
    return Checked(findings, settled=tuple(Settled(evidence.text) for evidence in told), sources=sources)


class Source:
    """A source with a marker in each document; labels can move without the document moving."""

    name = "wiki"

    def __init__(self):
        self.labels = {f"wiki:{n}": frozenset({"org"}) for n in range(DOCUMENTS)}

    def mark(self):
        return "1"

    def load(self):
        for name, labels in self.labels.items():
            text = f"{TOPICS[int(name[5:])]} MARK{name[5:]}MARK"
            yield Document(name, "wiki", "page", "1", f"Note {name}", text, "wiki", f"http://w/{name}", labels, OPENED)

    def changed_since(self, _cursor):
        return iter(())

    def ids(self):
        return set(self.labels)

    def labels_now(self, ids):
        return {name: self.labels.get(name) for name in ids}

    def total(self):
        return DOCUMENTS


@pytest.fixture(scope="module")
def box():
    with Sandbox.start(law_company()) as started:
        yield started


@pytest.fixture(scope="module")
def machine(box, tmp_path_factory):  # noqa: C901  a machine with its world around it
    embedders = Embedders.same(StaticEmbedder())
    numbers = itertools.count()
    told = []

    class Visibilities(RuleBasedStateMachine):
        @initialize()
        def begin(self):
            folder = tmp_path_factory.mktemp(f"law{next(numbers)}")
            self.engine = open_database(folder / "law.sqlite")
            self.now = datetime.now(UTC)
            self.jobs, self.outbox = Jobs(self.engine, self.clock), Outbox(self.engine, self.clock)
            self.source = Source()
            self.store = EdgeStore.open(folder / "index", embedders)
            self.ingest = Ingest(self.store, embedders, Registry(self.engine), Cursors(self.engine))
            self.ingest.sync(self.source, full=True)
            self.audiences = Audiences(HOLDERS)
            self.client = JiraClient(box.jira_url, box.post_user, box.post_token)
            self.worker = self.wire()
            box.jira.set_security("LAW-1", None)
            box.faults.clear()
            self.seen = {comment["id"] for comment in box.jira.comments("LAW-1")}
            self.problems = []

        def clock(self):
            return self.now

        def wire(self):
            reader = JiraReader(box.jira_url, box.read_user, box.read_token)
            reviewer = Reviewer(
                reader,
                Searcher(self.store, embedders),
                lambda _audience: (),
                rules=(Rule("everything", "tell everything", tell_everything),),
                words=defaults(("en",)),
                clock=self.clock,
                metrics=NullMetrics(),
            )
            surface = Surface("jira", self.client, ("LAW",), lambda: OPENED, needs="")
            parts = CommentParts(
                {"jira": surface},
                commands=Commands(),
                database=self.engine,
                jobs=self.jobs,
                outbox=self.outbox,
                audiences=self.audiences,
                subjects=reader,
                memory=Memory(Reviews(self.engine), box.jira_url),
                admission=Admission(Asked(self.engine, self.clock), Limits(), NullMetrics()),
                labels_now=self.source.labels_now,
                jira_site=box.jira_url,
                posting=True,
                lease=timedelta(seconds=60),
                pause=patient,
                clock=self.clock,
                metrics=NullMetrics(),
            )
            replies = Replies(
                reviewer=lambda: reviewer,
                answerer=lambda: pytest.fail("nobody asks a question"),
                drafter=lambda: pytest.fail("nobody asks for test cases"),
                freshness=lambda _audience: (),
                labels_now=self.source.labels_now,
                metrics=NullMetrics(),
            )
            return Worker(
                self.jobs,
                self.outbox,
                parts.handlers(replies),
                BySurface(parts.deliveries()),
                name="law",
                threads=1,
                lease=timedelta(seconds=60),
                limit=timedelta(minutes=5),
                clock=self.clock,
                metrics=NullMetrics(),
            )

        @rule(shown=st.sampled_from(SEEN_BY), before=CHANGES, between=CHANGES)
        def ask(self, shown, before, between):
            """A question; the world changes before the review and between review and post."""
            comment = box.jira.add_comment("LAW-1", "p-0", "#qa-check", **shown)
            self.seen.add(comment)
            payload = {"surface": "jira", "place_id": box.jira.issue("LAW-1").id, "message_id": comment}
            self.jobs.accept(comment, KIND, payload, surface="jira", via="poll")
            self.change(comment, before)
            self.step()
            self.change(comment, between)
            for _ in range(4):
                self.step()

        def change(self, comment, changes):
            for kind, value in changes:
                if kind == "shown":
                    box.jira.set_visibility("LAW-1", comment, **value)
                elif kind == "security":
                    box.jira.set_security("LAW-1", value)
                elif kind == "source":
                    self.source.labels[f"wiki:{value[0]}"] = frozenset(value[1])
                elif kind == "sweep":
                    self.ingest.sweep_labels(self.source)
                else:
                    box.faults.add("POST", r"/comment$", "wider")

        def step(self):
            triggers = {raw["id"]: raw for raw in box.jira.comments("LAW-1")}
            self.now += timedelta(minutes=30)
            self.worker.run_once()
            self.look(triggers)

        def look(self, triggers):
            """What was posted just now, against the trigger and the sources as they are now."""
            for raw in box.jira.comments("LAW-1"):
                if raw["id"] in self.seen:
                    continue
                self.seen.add(raw["id"])
                answered = next(p["value"] for p in raw["properties"] if p["key"] == "crosscheck.delivery")["key"]
                trigger = triggers[answered.split("|")[0]]
                if who(raw) != who(trigger):
                    self.problems.append(("wider", who(trigger), who(raw)))
                held = self.held_by(raw)
                for name, labels in self.source.labels.items():
                    if f"MARK{name[5:]}MARK" in str(raw["body"]):
                        told.append(who(raw))
                        if not labels <= held:
                            self.problems.append(("leak", name, labels, held))

        def held_by(self, raw):
            """Written apart from the product: who reads this comment holds these."""
            held = {"jira:LAW", "org"}
            kind, value = who(raw)
            if (kind, value) == ("role", "Leads"):
                held |= {"jira:LAW:role:Leads", "confluence:BOARD"}
            elif kind == "role":
                held.add(f"jira:LAW:role:{value}")
            elif kind == "group":
                held |= {"jira:group:qa", "confluence:QA"}
            level = box.jira.issue("LAW-1").security
            if level:
                held |= {"jira:LAW:security:Secret", visibility.jira_security("LAW", level)}
            return held

        @invariant()
        def nothing_wider_and_no_leak(self):
            assert not getattr(self, "problems", [])

        def teardown(self):
            if hasattr(self, "store"):
                self.store.close()
                self.engine.dispose()

    return Visibilities, told


def who(raw):
    shown = raw.get("visibility")
    return (shown["type"], shown["value"]) if shown else (None, None)


def test_no_post_is_wider_and_no_restricted_text_leaks(machine):
    visibilities, told = machine
    case = visibilities.TestCase
    case.settings = settings(
        max_examples=12,
        stateful_step_count=10,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],  # the ticket outlives an example, so a failure cannot be made smaller by repeating it
        suppress_health_check=list(HealthCheck),
    )
    case("runTest").runTest()
    assert len(told) > 20, "hardly anything was posted, so nothing was tried"
    assert len(set(told)) == len(SEEN_BY)
