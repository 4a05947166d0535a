"""The service in several processes: each with its roles and a data folder, over one PostgreSQL and one index."""

import re
from contextlib import closing, contextmanager
from datetime import timedelta

import httpx
import pytest
from pydantic import SecretStr

from core.errors import IndexUnreachable
from core.types import Query
from crosscheck.doctor import examine
from crosscheck.doctor_running import running_checks
from crosscheck.errors import BadSettings, CrosscheckError
from crosscheck.operations import Local
from crosscheck.owner import owning
from crosscheck.roles import ALL, check, chosen
from crosscheck.serving import service
from crosscheck.settings import Settings
from crosscheck.settings_finding import IndexPlace
from crosscheck.settings_running import State, Tracing
from crosscheck.settings_sources import Files
from crosscheck.wiring import Program
from evals.playground import company, quickly, secrets_of
from evals.playground import settings as small_settings
from evals.postgres import programs, running
from sandbox.server import Sandbox
from state.errors import DatabaseAway
from state.leases import utc_now
from tests.conftest import missing
from tests.core.points import NO_INDEXES
from tests.crosscheck.live import Live, quick, until
from tests.crosscheck.roles.shared import SharedServer
from tests.fakes import Tally

pytestmark = pytest.mark.filterwarnings(NO_INDEXES)

APART = Settings(state=State(url="postgresql://u@db/c"), index=IndexPlace(engine="server", url="http://qdrant:6333"))


def test_roles_as_they_are_written():
    assert chosen("web") == {"web"}
    assert chosen(" poll, work ,sync,web,slack") == ALL
    with pytest.raises(BadSettings, match=r"no role 'worker'. There are: web, slack, poll, work, sync\."):
        chosen("web,worker")
    with pytest.raises(BadSettings, match="Name one role at least"):
        chosen(" , ")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings(), r"PostgreSQL \(state.url\) and the index on a server"),
        (Settings(state=APART.state), 'with the index on a server \\(index.engine = "server"\\): '),
        (Settings(index=APART.index), r"with jobs and posts in PostgreSQL \(state.url\): "),
    ],
)
def test_what_belongs_to_one_process_is_not_divided(settings, said):
    check(settings, ALL)
    check(APART, {"web"})
    with pytest.raises(BadSettings, match=said):
        check(settings, {"web", "work"})


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    if (installed := programs()) is None:
        missing("PostgreSQL's server is not installed")
    with running(installed, tmp_path_factory.mktemp("pg")) as cluster:
        yield cluster


class Installation:
    """A company, and processes that serve it."""

    def __init__(self, box, folder, address):
        self.box, self.folder = box, folder
        (folder / "handbook").mkdir()
        (folder / "handbook/export.md").write_text("# Export\n\nAn export is kept for thirty zebras.\n", "utf-8")
        files = Files(name="handbook", location=str(folder / "handbook"))
        index = IndexPlace(engine="server", url="http://qdrant.example:6333")
        changes = {"state": State(url=address), "index": index, "files": (files,)}
        self.settings = quick(small_settings(folder / "data", box, lease=60, threads=2), **changes)

        class Part(Program):
            pause = posting_pause = staticmethod(quickly)
            stores = SharedServer()

        self.program = Part

    @contextmanager
    def process(self, name, *roles):
        settings = self.settings.model_copy(update={"data": self.folder / name})
        program = self.program(settings, secrets_of(self.box), metrics=Tally(), keeps_index=False)
        with owning(settings.data, "serve"), closing(program), service(program, frozenset(roles)) as serving:
            yield Live(self.box, program, serving.url)


@pytest.fixture
def installation(cluster, tmp_path):
    with Sandbox.start(company(4)) as box:
        yield Installation(box, tmp_path, cluster.create())


def complete(live):
    try:
        return all(view.complete for view in live.program.index.views())
    except IndexUnreachable:
        return False


def polls(live):
    return live.metrics.total("crosscheck_polls_total", outcome="done")


def test_each_role_does_its_part_and_one_of_two_pollers_polls(installation):
    process, box = installation.process, installation.box
    with (
        process("sync", "sync") as syncing,
        process("web", "web") as web,
        process("poll-1", "poll") as first,
        process("work", "work") as working,
    ):
        box.deliver_to(f"{web.url}/webhooks/jira")
        until(lambda: complete(working), "an index that is complete")
        comment = working.ask("RUN-1")
        assert "crosscheck" in str(working.answer("RUN-1", comment))
        found = web.program.searcher.search(Query("zebras"), web.program.audiences.named("files:handbook"))
        assert [one.document_id for one in found.evidence] == ["files:handbook:export.md"]
        until(lambda: polls(first) > 1, "polls")
        with process("poll-2", "poll") as second:
            box.jira.fire = lambda *_: None  # from here on only a poll sees what is written
            comment = working.ask("RUN-2")
            working.answer("RUN-2", comment)
            assert polls(second) == 0
            first.program.leading.stop()
            until(lambda: polls(second) > 1, "polls by the other process")
            comment = working.ask("RUN-3")
            working.answer("RUN-3", comment)
        assert working.metrics.total("crosscheck_triggers_total") == 0
        assert [polls(live) for live in (syncing, web, working)] == [0, 0, 0]
        for other in (web, first, working):
            assert other.metrics.total("crosscheck_syncs_total") == 0


def test_every_process_serves_everything_and_each_question_has_one_answer(installation):
    process, box = installation.process, installation.box
    with process("one", *ALL) as one, process("two", *ALL) as two:
        box.deliver_to(f"{two.url}/webhooks/jira")
        asked = {key: two.ask(key) for key in ("RUN-1", "RUN-2", "RUN-3", "RUN-4")}
        for key, comment in asked.items():
            two.answer(key, comment)
        one.quiet_polls() if polls(one) else two.quiet_polls()
        assert all(len(one.replies(key, comment)) == 1 for key, comment in asked.items())
        assert min(polls(one), polls(two)) == 0


def test_what_changes_the_index_is_done_where_it_is_kept(installation):
    process = installation.process
    arguments = {"sources": ["handbook"], "full": False}
    with process("sync", "sync") as syncing, process("work", "work") as working:
        until(lambda: complete(working), "an index that is complete")
        with pytest.raises(CrosscheckError, match="Another process keeps the index"):
            Local(working.program).run("sync", arguments, lambda _message: None)
        done = Local(syncing.program).run("sync", arguments, lambda _message: None)
        assert [one["source"] for one in done["sources"]] == ["handbook"]


def test_the_secret_of_the_database_is_in_no_message(installation):
    settings = installation.settings.model_copy(update={"state": State(url="postgresql://nobody@127.0.0.1:1/none")})
    secrets = secrets_of(installation.box).model_copy(update={"state_password": SecretStr("very-secret-word")})
    with (
        closing(installation.program(settings, secrets)) as program,
        pytest.raises(DatabaseAway) as raised,
    ):
        program.prepare()
    assert "very-secret-word" not in "".join(map(str, (raised.value, raised.value.__cause__)))


def test_health_says_that_the_database_is_away(installation, cluster):
    with installation.process("work", "work") as working, httpx.Client(trust_env=False, timeout=60) as client:
        asked = f"{working.url}/health"
        assert client.get(asked).json()["ok"] is True
        cluster.stop()
        try:
            answer = client.get(asked)
        finally:
            cluster.start()
        assert (answer.status_code, answer.json()["reason"]) == (503, "The database is not there.")
        until(lambda: client.get(asked).status_code == 200, "that it is well again")


def checked(settings, box, name):
    return next(check for check in examine(settings, secrets_of(box)) if check.name == name)


def test_doctor_tells_of_what_is_shared(installation, tmp_path):
    box, there = installation.box, tmp_path / "file"
    there.write_text("")
    settings = installation.settings.model_copy(update={"mirrors": tmp_path / "mirrors"})
    assert checked(settings, box, "database").says == "0 jobs on record in PostgreSQL on 127.0.0.1"
    assert checked(settings, box, "mirrors").says == f"{tmp_path}/mirrors can be written to"
    settings = settings.model_copy(update={"mirrors": there, "state": State(url="postgresql://a@127.0.0.1:1/c")})
    database = checked(settings, box, "database")
    assert (database.state, database.do[:36]) == ("failed", "Check state.url and CROSSCHECK_STATE")
    assert checked(settings, box, "mirrors").state == "failed"


@pytest.mark.parametrize("seconds", [-30, 0, 30])
def test_doctor_compares_clocks(installation, seconds):
    """A host whose clock is ahead takes what another one still does."""

    def clock():
        return utc_now() + timedelta(seconds=seconds)

    with closing(installation.program(installation.settings, secrets_of(installation.box), clock=clock)) as program:
        check = next(check for check in running_checks(program) if check.name == "clock")
    assert (check.state == "ok") == (seconds == 0)
    said = rf"(29|3\d)\.\d s {'ahead of' if seconds > 0 else 'behind'} the database's server"
    assert not seconds or re.search(said, check.says)


def test_doctor_warns_of_a_collector_that_is_not_there(installation):
    box = installation.box
    answers = installation.settings.model_copy(update={"tracing": Tracing(endpoint=f"{box.jira_url}/v1/traces")})
    assert checked(answers, box, "tracing").says.endswith("/v1/traces answers")
    absent = answers.model_copy(update={"tracing": Tracing(endpoint="http://127.0.0.1:1/v1/traces")})
    check = checked(absent, box, "tracing")
    assert (check.state, check.says) == (
        "warning",
        "http://127.0.0.1:1/v1/traces cannot be reached (ConnectError).",
    )
