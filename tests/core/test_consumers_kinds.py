"""Who uses a name of any kind, in indexes of real Git repositories in several languages."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.connectors.git import GitConnector
from core.consumers import Consumers
from core.errors import BadQuery
from core.mirror import Mirror
from core.types import ORG, Audience, Freshness
from core.usage.types import CONFIDENCES, KINDS, Consumption
from tests.core.connectors.git_origin import Files, Origin
from tests.core.parts import Bench
from tests.core.test_exact import code

EVERYBODY = Audience(frozenset({"repo:shop", "repo:gate"}))
SHOP_ALONE = Audience(frozenset({"repo:shop"}))
SHOP: Files = {
    "app/booking.py": '''\
class Booking:
    __tablename__ = "bookings"
    held_until = Column(DateTime)

    def hold(self, minutes):
        """hold(5) is the usual."""
        self.held_until = minutes


class Locker:
    held_until = Column(DateTime)

    def hold(self, bag):
        return bag
''',
    "app/web.py": """\
from app.booking import Booking, Locker


@router.post("/v1/bookings/{booking_id}/hold")
def hold_booking(booking_id):
    made = Booking.find(booking_id)
    made.hold(int(os.environ["HOLD_MINUTES"]))
    bus.publish("booking.held", made.id)


@router.get("/v1/bookings/<int:booking_id>")
def read_booking(booking_id):
    locker = Locker.find(booking_id)
    locker.hold(None)
""",
    "db/schema.sql": """\
CREATE TABLE bookings (id INT, held_until TIMESTAMP);
CREATE TABLE lockers (id INT, held_until TIMESTAMP);
CREATE INDEX late ON bookings (held_until);
UPDATE lockers SET held_until = NULL;
""",
    ".env": "HOLD_MINUTES=10\nMAX_HOLD_MINUTES=20\n",
    "docs/holding.md": "# Holding\n\nSeats are held by `Booking.hold` for `HOLD_MINUTES`.\n",
    "tests/test_hold.py": "from app.booking import Booking\n\n\ndef test_hold():\n    Booking().hold(3)\n",
}
GATE: Files = {
    "src/api.ts": """\
import { BASE } from './base';

export const hold = (id: string) => axios.post(`${BASE}/v1/bookings/${id}/hold`);
export const extend = (id: string) => axios.post(`${BASE}/v1/bookings/${id}/hold/extend`);
export const read = (id: string) => axios.get(BASE + '/v1/bookings/' + id);
""",
    "src/Listener.java": """\
class Listener {
    // booking.held comes late
    @KafkaListener(topics = "booking.held")
    void on(Message message) {
    }

    @KafkaListener(topics = "booking.held.expired")
    void gone(Message message) {
    }
}
""",
    "main.go": """\
package main

func late() string {
	return "SELECT id FROM bookings b WHERE b.held_until < now()"
}

func minutes() string {
	return os.Getenv("HOLD_MINUTES") + os.Getenv("THRESHOLD_MINUTES")
}
""",
    "deploy.yaml": "env:\n  - name: HOLD_MINUTES\n    value: '5'\nbooking:\n  hold:\n    minutes: 5\n    seats: 2\n",
}


@dataclass
class Company:
    """Two indexed repositories, and a look at who uses what."""

    bench: Bench
    folder: Path
    shop: Origin
    gate: Origin

    def sync(self) -> None:
        for name, origin in (("shop", self.shop), ("gate", self.gate)):
            mirror = Mirror(self.folder / f"{name}.git", str(origin.folder))
            connector = GitConnector(name, mirror, branch="main", branches=["feature/*"])
            self.bench.ingest.sync(connector)

    def ask(self, name: str, audience: Audience = EVERYBODY, **more: object) -> Consumption:
        return Consumers(self.bench.store).consumers(name, audience, **more)


@pytest.fixture(scope="module")
def company(tmp_path_factory, folder_bench) -> Company:
    folder = tmp_path_factory.mktemp("company")
    folder_bench.clear()
    made = Company(folder_bench, folder, Origin(folder / "shop"), Origin(folder / "gate"))
    made.shop.commit("One", SHOP)
    made.gate.commit("One", GATE)
    made.shop.branch("feature/late")
    late = "from app.booking import Booking\n\n\ndef late(booking: Booking):\n    booking.hold(1)\n"
    web = str(SHOP["app/web.py"]).replace("made.hold(int", "made.hold(2 * int")
    made.shop.commit("Late", {"app/late.py": late, "app/web.py": web})
    made.shop.go("main")
    made.sync()
    return made


def told(found: Consumption) -> list[tuple[str, str, int | None, str]]:
    return [(one.repo, one.path, one.line, one.confidence) for one in found.consumers]


def test_a_symbol_means_its_owners(company):
    found = company.ask("Booking.hold")
    assert found.kind == "symbol"
    assert [(one.path, one.line) for one in found.defined] == [("app/booking.py", 5)]
    assert told(found) == [
        ("shop", "app/web.py", 7, "sure"),
        ("shop", "tests/test_hold.py", 5, "sure"),
        ("shop", "docs/holding.md", None, "likely"),
    ]
    assert found.consumers[0].how == "syntax"
    assert found.consumers[1].why.startswith("Test code: ")
    assert found.consumers[2].why == "Documentation names it."


@pytest.mark.parametrize(
    "name", ["Booking.hold", "Booking#hold", "app::Booking#hold", "Booking->hold", "Booking.hold()"]
)
def test_a_symbol_in_any_spelling(company, name):
    assert told(company.ask(name)) == told(company.ask("Booking.hold"))


def test_a_route_in_other_spellings_by_its_method(company):
    found = company.ask("POST /v1/bookings/:id/hold")
    assert [(one.path, one.line) for one in found.defined] == [("app/web.py", 4)]
    assert told(found) == [("gate", "src/api.ts", 3, "sure")]
    assert told(company.ask("GET /v1/bookings/{id}")) == [("gate", "src/api.ts", 5, "sure")]
    assert told(company.ask("DELETE /v1/bookings/{id}")) == []
    assert company.ask("https://shop.example/v1/bookings/17").consumers == company.ask("/v1/bookings/{n}").consumers


def test_an_event_is_no_longer_topic_and_no_comment(company):
    found = company.ask("booking.held")
    assert found.kind == "event"
    assert [(one.path, one.line, one.why) for one in found.defined] == [("app/web.py", 8, "It is sent here.")]
    assert told(found) == [("gate", "src/Listener.java", 3, "sure")]


def test_a_setting_in_code_and_where_it_is_set(company):
    found = company.ask("HOLD_MINUTES")
    assert found.kind == "config"
    assert told(found)[:2] == [("gate", "main.go", 8, "sure"), ("shop", "app/web.py", 7, "sure")]
    assert {(one.path, one.line) for one in found.defined} == {
        (".env", 1),
        ("deploy.yaml", 2),
        ("deploy.yaml", 6),
    }
    nested = company.ask("booking.hold.minutes")
    assert ("deploy.yaml", 6) in {(one.path, one.line) for one in (*nested.defined, *nested.consumers)}
    assert ("deploy.yaml", 7) not in {(one.path, one.line) for one in (*nested.defined, *nested.consumers)}


def test_a_column_is_its_tables(company):
    found = company.ask("bookings.held_until")
    assert found.kind == "column"
    assert [(one.path, one.line) for one in found.defined] == [("app/booking.py", 3), ("db/schema.sql", 1)]
    assert told(found) == [
        ("gate", "main.go", 4, "sure"),
        ("shop", "app/booking.py", 7, "sure"),
        ("shop", "db/schema.sql", 3, "sure"),
    ]


def test_a_table(company):
    found = company.ask("bookings")
    assert found.kind == "table"
    assert ("app/booking.py", 2) in {(one.path, one.line) for one in found.defined}
    assert told(found)[0] == ("gate", "main.go", 4, "sure")
    assert not [one for one in found.consumers if "/v1/bookings" in one.text]


def test_what_is_another_than_its_definition_stands_first_and_each_holds_its_line(company):
    for name in ("HOLD_MINUTES", "bookings.held_until", "bookings", "Booking.hold"):
        found = company.ask(name)
        for one in (*found.defined, *found.consumers):
            assert one.text in one.evidence.text
            assert one.evidence.locator.line == one.line
            assert one.evidence.labels <= EVERYBODY.labels
            assert one.confidence in CONFIDENCES
            assert one.why.endswith(".")
        assert company.ask(name) == found


def test_a_branch_in_development_is_looked_at_when_it_is_named(company):
    baseline = company.ask("Booking.hold")
    found = company.ask("Booking.hold", branches=frozenset({"feature/late"}))
    beside = [(one.branch, one.path, one.line) for one in found.consumers if one not in baseline.consumers]
    assert beside == [("feature/late", "app/late.py", 5), ("feature/late", "app/web.py", 7)]
    assert all(one in found.consumers for one in baseline.consumers)


def test_a_branch_or_repository_that_is_not_there_is_said_with_the_nearest(company):
    found = company.ask("Booking.hold", branches=frozenset({"feature/lat"}))
    assert 'There is no branch "feature/lat" that you may read; the nearest is feature/late.' in found.not_looked
    found = company.ask("Booking.hold", repos=frozenset({"gates"}))
    assert 'There is no repository "gates" that you may read; the nearest is gate.' in found.not_looked
    assert found.consumers == ()


def test_only_named_repositories_are_looked_at(company):
    found = company.ask("HOLD_MINUTES", repos=frozenset({"gate"}))
    assert {one.repo for one in found.consumers} == {"gate"}


def test_beyond_the_limit_is_counted(company):
    whole = company.ask("bookings.held_until")
    found = company.ask("bookings.held_until", limit=1)
    assert found.consumers == whole.consumers[:1]
    assert found.more == len(whole.consumers) - 1


@pytest.mark.parametrize("name", ["HOLD_MINUTES", "booking.held", "bookings.held_until", "POST /v1/bookings/{id}/hold"])
def test_what_the_audience_may_not_read_is_not_there(company, name):
    found = company.ask(name, SHOP_ALONE)
    assert {one.repo for one in (*found.defined, *found.consumers)} <= {"shop"}
    assert "gate" not in " ".join(found.not_looked)
    nothing = company.ask(name, Audience(frozenset()))
    assert (nothing.defined, nothing.consumers, nothing.more) == ((), (), 0)
    unknown = company.ask(name, SHOP_ALONE, repos=frozenset({"gate"}))
    never = company.ask(name, SHOP_ALONE, repos=frozenset({"gato"}))
    assert [one.replace("gate", "gato") for one in unknown.not_looked] == list(never.not_looked)


def test_a_name_that_may_be_several_things_is_said_to_be_taken_for_one(company):
    assert company.ask("booking.held").not_looked[0].startswith("“booking.held” was taken for an event or topic, not ")
    assert company.ask("booking.held", kind="event").not_looked == ()
    assert company.ask("Booking.hold").not_looked == ()


def test_old_unread_and_unknown_repositories_are_said(company):
    labels = frozenset({"repo:shop"})
    known = [
        Freshness("shop", 6, datetime(2026, 3, 2, 9, tzinfo=UTC), stale=True, labels=labels, partly=2),
        Freshness("gate", 4, datetime(2026, 3, 2, 9, tzinfo=UTC), stale=False, labels=frozenset({"repo:gate"})),
        Freshness("wiki", 4, None, stale=True, labels=frozenset({"confluence:HELP", "repo:shop"})),
        Freshness("vault", 0, None, stale=True, labels=frozenset({"repo:vault"})),
        Freshness("tower", 0, None, stale=True, labels=frozenset({"repo:tower"})),
    ]
    consumers = Consumers(company.bench.store, lambda _: known)
    found = consumers.consumers("Booking.hold", Audience(EVERYBODY.labels | {"repo:tower"}))
    assert found.not_looked == (
        "The repository shop was last read at 2026-03-02 09:00 UTC; what changed since was not looked at.",
        "Of 2 documents of shop, something could not be read.",
        "The repository tower has not been read yet, so what it uses is not known.",
    )


@pytest.mark.parametrize("name", ["", " ", ".", "()", "/", "POST /", "\0", "\ud800", "::", "a" * 10_000, "--", "*"])
def test_what_is_no_name_is_refused(company, name):
    with pytest.raises(BadQuery):
        company.ask(name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["id", "x", "a.b", "(.*)+$", "[a-z", "\\d+", "Ж", "日本", "a" * 300, "/{id}/x", "--x"])
def test_any_name_is_answered(company, name, kind):
    try:
        found = company.ask(name, kind=kind)
    except BadQuery:
        return
    assert found.kind == kind
    assert len(found.consumers) <= 30


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(min_size=1, max_size=60), kind=st.sampled_from([None, *KINDS]))
def test_any_text_is_answered_or_refused(company, name, kind):
    try:
        found = company.ask(name, kind=kind)
    except BadQuery:
        return
    assert all(one.evidence.labels <= EVERYBODY.labels for one in (*found.defined, *found.consumers))


def test_a_file_of_which_nothing_was_read_is_said(company):
    found = company.ask("Booking.hold", branches=frozenset({"main"}))
    assert found.not_looked == ()
    company.gate.commit("Large", {"dump.bin.sql": b"\0" * 100, "later.py": "def later():\n    return 1\n"})
    company.sync()
    try:
        found = company.ask("Booking.hold")
        sentence = "dump.bin.sql in gate (could not be read: it is a binary file)"
        assert found.not_looked == (f"What these files hold was not looked at, or not all of it: {sentence}.",)
        assert company.ask("Booking.hold", SHOP_ALONE).not_looked == ()
        assert company.ask("Booking.hold", repos=frozenset({"shop"})).not_looked == ()
    finally:
        company.gate.commit("Away", {"dump.bin.sql": None})
        company.sync()


def test_more_uses_than_are_looked_at_are_said(bench):
    many = [code(f"def use_{n}():\n    hold_all_seats({n})\n", f"src/use{n}.py") for n in range(320)]
    bench.index(code("def hold_all_seats(n):\n    return n\n", "src/hold.py"), *many)
    found = Consumers(bench.store).consumers("hold_all_seats", Audience(frozenset({ORG})), limit=5)
    assert len(found.consumers) == 5
    assert found.more >= 290
    assert found.not_looked[-1] == "More passages have these words than are looked at, so there may be more uses."


def test_a_constant_that_holds_the_name_is_followed(bench):
    bench.index(
        code('HELD_TOPIC = "booking.held"\n', "src/topics.py"),
        code("from src.topics import HELD_TOPIC\n\n\nbus.subscribe(HELD_TOPIC, print)\n", "src/listen.py"),
        code("from src.topics import HELD_TOPIC\n\n\nbus.publish(HELD_TOPIC, 1)\n", "src/tell.py"),
    )
    found = Consumers(bench.store).consumers("booking.held", Audience(frozenset({ORG})), kind="event")
    assert [(one.path, one.line) for one in found.defined] == [("src/topics.py", 1), ("src/tell.py", 4)]
    assert [(one.path, one.line, one.confidence, one.why) for one in found.consumers] == [
        ("src/listen.py", 4, "likely", "It uses “HELD_TOPIC”, which holds the name.")
    ]


@pytest.mark.parametrize(
    ("line", "confidence"),
    [
        ("requests.post(f'{BASE}/v1/seats/{seat.id}/free')", "sure"),
        ("requests.post('https://x.example/v1/seats/%s/free' % seat)", "sure"),
        ("requests.post('/v1/seats/' + str(seat) + '/free')", "sure"),
        ("requests.post('/v1/seats/42/free?now=1')", "sure"),
        ("requests.post('/gateway/v1/seats/{}/free'.format(seat))", "likely"),
        ("requests.post('/seats/{}/free'.format(seat))", "likely"),
        ("url = '/v1/seats/{}/free'", "likely"),
        ("proxy('/v1/seats/**')", "possible"),
        ("requests.get(f'/v1/seats/{seat}/free')", None),
        ("requests.post(f'/v1/seats/{seat}/free/now')", None),
        ("requests.post(f'/v1/seats/{seat}/freed')", None),
        ("requests.post(f'/v1/seats/{seat}')", None),
        ("requests.post(f'/v1/berths/{seat}/free')", None),
        ("requests.post('/v1/seats/all/free')", None),
        ("# requests.post('/v1/seats/1/free')", None),
    ],
)
def test_a_route_in_a_line(bench, line, confidence):
    bench.index(code(f"def go(seat):\n    {line}\n    return seat\n", "src/go.py"))
    found = Consumers(bench.store).consumers("POST /v1/seats/{id}/free", Audience(frozenset({ORG})))
    assert [one.confidence for one in found.consumers] == ([confidence] if confidence else [])


@pytest.mark.parametrize(
    ("path", "line", "told"),
    [
        ("a.py", 'os.environ["SEAT_LIMIT"]', True),
        ("a.ts", "process.env.SEAT_LIMIT", True),
        ("a.java", '@Value("${seat.limit}") int n;', True),
        ("a.go", 'var n = viper.GetInt("seat.limit")', True),
        ("run.sh", "./start --seat-limit=4", True),
        ("a.yaml", "seat-limit: 4", True),
        ("a.yaml", "seat:\n  limit: 4", True),
        ("a.toml", "[seat]\nlimit = 4", True),
        ("a.properties", "seat.limit=4", True),
        ("Dockerfile", "ENV SEAT_LIMIT=4", True),
        ("a.py", 'os.environ["SEAT_LIMITS"]', False),
        ("a.py", 'os.environ["BACKSEAT_LIMIT"]', False),
        ("a.py", "# SEAT_LIMIT is read elsewhere", False),
        ("a.go", 'var n = viper.GetInt("seat.limit.most")', False),
        ("a.yaml", "seat:\n  most: 4\nlimit: 4", False),
        ("a.toml", "[sofa]\nlimit = 4", False),
    ],
)
def test_a_setting_in_a_line(bench, path, line, told):
    bench.index(code(f"{line}\n", path))
    found = Consumers(bench.store).consumers("SEAT_LIMIT", Audience(frozenset({ORG})), kind="config")
    assert bool(found.defined or found.consumers) is told


def test_each_place_in_a_line_is_looked_at(bench):
    bench.index(
        code("class Seat:\n    def free(self): ...\n\n\nclass Sofa:\n    def free(self): ...\n", "src/seat.py"),
        code("def go(sofa, seat):\n    sofa.free(seat.free(1))\n", "src/go.py"),
        code("SELECT a.held_until, b.held_until FROM seats a JOIN sofas b ON a.id = b.id;\n", "db/q.sql"),
        code("SELECT b.held_until FROM seats a JOIN sofas b ON a.id = b.id;\n", "db/r.sql"),
    )
    consumers = Consumers(bench.store)
    everybody = Audience(frozenset({ORG}))
    assert [one.line for one in consumers.consumers("Seat.free", everybody).consumers] == [2]
    for table, files in (("seats", ["db/q.sql"]), ("sofas", ["db/q.sql", "db/r.sql"])):
        found = consumers.consumers(f"{table}.held_until", everybody, kind="column")
        assert [one.path for one in found.consumers] == files
