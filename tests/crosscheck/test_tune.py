"""Weights fitted to a team's tickets and commits: what is a label, what must not help, what is saved."""

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from core.embedders import Embedders
from core.fitting import ARMS, Weights
from core.ranking import VOTES, Ranking, Rankings
from core.search import Searcher
from core.store.base import Scope, Store, document_of, point_id
from core.tuning import Tuning
from core.types import Document, Filters
from crosscheck.closed_tickets import closed_tickets
from crosscheck.errors import CrosscheckError
from crosscheck.tune import FEWEST, forget, saved, text, tune, tuned, weights_of
from tests.core.connectors.git_origin import Shop
from tests.core.parts import EARLY, Bench, Letters, document

TUNING = Tuning()
EMBEDDERS = Embedders.same(Letters(8))
NAMES = ["anchor", "beacon", "cobalt", "dahlia", "ember", "falcon", "garnet", "harbor"]


class Ranks:
    """The real search; remembers what it was asked and what it found."""

    def __init__(self, bench: Bench) -> None:
        self._searcher = Searcher(bench.store, bench.embedders)
        self.asked: list[tuple[str, Scope, Filters, Rankings]] = []

    def rankings(self, question: str, scope: Scope, voters: Filters) -> Rankings:
        answer = self._searcher.rankings(question, scope, voters)
        self.asked.append((question, scope, voters, answer))
        return answer


class Fixed:
    """Arms of which one knows the answer so often, and the others nothing."""

    def __init__(self, name: str, often: float) -> None:
        self._name, self._often = name, often
        self._dice = random.Random(0)

    def rankings(self, question: str, scope: Scope, voters: Filters) -> Rankings:
        right = point_id(f"git:shop:{question.rsplit(maxsplit=1)[-1]}", 0, "code")
        files = [point_id(f"git:shop:src/{number}.py", 0, "code") for number in range(40)]
        chunks = []
        for name in (*ARMS, VOTES):
            found = self._dice.sample(files, len(files))
            if name == self._name and self._dice.random() < self._often:
                found = [right, *(key for key in found if key != right)]
            chunks.append(Ranking(name, found, 0 if name == VOTES else 1))
        return Rankings(chunks, [Ranking(each.name, [*map(document_of, each.ids)], 1) for each in chunks])


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    made = Bench(tmp_path_factory.mktemp("index") / "index", EMBEDDERS)
    yield made
    made.store.close()


@pytest.fixture
def bench(opened: Bench) -> Bench:
    opened.clear()
    return opened


def ticket(number: int, title: str, words: str = "", **more: object) -> Document:
    values = {"id": f"jira:{number}", "source": "jira", "kind": "ticket", "title": f"PAY-{number} {title}"}
    values |= {"context": f"PAY > PAY-{number} {title}", "keys": frozenset({f"PAY-{number}"})}
    return document(f"# {title}\n\n{words or title}", **values | more)


def commit(sha: str, message: str, paths: list[str], *keys: str, minute: int = 0, **more: object) -> Document:
    values = {"id": f"git:shop@{sha}", "source": "shop", "kind": "commit", "title": message, "repo": "shop"}
    values |= {"keys": frozenset({sha, *keys}), "updated": EARLY + timedelta(minutes=minute)}
    return document(message, **values | {"attributes": {"paths": "\n".join(paths)}} | more)


def code(path: str, content: str = "value = 1") -> Document:
    values = {"id": f"git:shop:{path}", "source": "shop", "kind": "code", "title": path, "repo": "shop", "path": path}
    return document(content, **values, context=f"shop > {path}", updated=EARLY + timedelta(days=900))


def closed(bench: Bench, *documents: Document, most: int = 300):
    bench.index(*documents)
    return closed_tickets(bench.store, lambda _message: None, most)[0]


@dataclass(frozen=True)
class Index:
    store: Store
    searcher: object
    embedders: Embedders = EMBEDDERS


def run(bench: Bench, ranks: object, data: Path, *, dry_run: bool = False, said: list | None = None) -> dict:
    report = said.append if said is not None else lambda _message: None
    return tune(Index(bench.store, ranks), TUNING, data, EARLY, report, dry_run=dry_run)


def many(size: int) -> list[Document]:
    """Tickets of which each was closed by a commit to one of forty files, which its text names last."""
    files = [f"src/{number}.py" for number in range(40)]
    made = [code(path) for path in files]
    for number in range(1, size + 1):
        path = files[number % 40]
        made += [
            ticket(number, f"Change {path}"),
            commit(f"{number:040x}", "x", [path], f"PAY-{number}", minute=number),
        ]
    return made


# Labels.


def test_a_ticket_is_a_label_for_the_code_that_its_commits_changed(bench):
    paths = ["src/a.py", "src/gone.py", "tests/test_a.py", "docs/a.md", "package-lock.json"]
    found = closed(
        bench,
        ticket(7, "Lock accounts", "As PAY-7 says: after five tries. See PAY-71."),
        commit("a" * 40, "PAY-7 Lock", paths, "PAY-7", minute=5),
        commit("b" * 40, "PAY-7 Lock more", ["src/b.py"], "PAY-7", minute=3),
        *map(code, ["src/a.py", "src/b.py", "src/c.py", "tests/test_a.py"]),
    )
    (one,) = found
    assert one.id == "jira:7"
    assert one.question == "Lock accounts\n\nAs says: after five tries. See PAY-71."
    assert one.files == {document_of(point_id(f"git:shop:{path}", 0, "code")) for path in ("src/a.py", "src/b.py")}
    assert one.commits == {f"git:shop@{'a' * 40}", f"git:shop@{'b' * 40}"}
    assert one.began == EARLY + timedelta(minutes=3)


@pytest.mark.parametrize(
    ("paths", "more"),
    [
        ([f"src/{number}.py" for number in range(21)], {}),
        (["tests/test_a.py"], {}),
        (["src/gone.py"], {}),
        (["src/0.py"], {"message": "Merge branch 'PAY-1-lock'"}),
        (["src/0.py"], {"message": "Merge pull request #4 from ana/PAY-1"}),
        (["src/0.py"], {"development": True}),
        (["src/0.py"], {"keys": ["PAY-2", "PAY-3", "PAY-4"]}),
        ([], {}),
    ],
)
def test_what_says_little_of_each_file_is_no_label(bench, paths, more):
    message, keys = more.pop("message", "Lock"), more.pop("keys", [])
    files = [code("tests/test_a.py"), *(code(f"src/{number}.py") for number in range(21))]
    assert not closed(
        bench, ticket(1, "Lock"), commit("a" * 40, message, paths, "PAY-1", *keys, branch="b", **more), *files
    )


def test_the_tickets_closed_last_are_taken_and_the_same_ones_each_time(bench):
    documents = many(12)
    first = closed(bench, *documents, most=5)
    assert [one.id for one in first] == [f"jira:{number}" for number in (12, 11, 10, 9, 8)]
    assert closed(bench, *documents[::-1], most=5) == first


def test_too_few_labels_are_refused_with_their_number_and_what_would_help(bench, tmp_path):
    bench.index(*many(FEWEST - 1))
    with pytest.raises(CrosscheckError, match=r"closed 29 of the tickets.*30 are needed.*It helps to") as refused:
        run(bench, Fixed(VOTES, 1), tmp_path)
    assert "PAY-" not in str(refused.value)
    assert not list(tmp_path.iterdir())


# What must not help.


def test_a_tickets_own_commits_and_what_came_after_do_not_vote(bench, tmp_path):
    documents = [code(f"src/{number}.py") for number in range(30)]
    for number in range(30):
        words, path = "".join(chr(ord("a") + int(digit)) * 3 for digit in f"{number:03}"), [f"src/{number}.py"]
        documents += [
            ticket(number, words, f"{words} has no value"),
            commit(f"{number:040x}", f"PAY-{number} {words}", path, f"PAY-{number}", minute=10 * number),
            commit(f"{number + 100:040x}", f"Fix {words}", path, minute=10 * number + 5),
        ]
    bench.index(*documents)
    ranks = Ranks(bench)
    run(bench, ranks, tmp_path)
    asked = list(ranks.asked)
    assert len(asked) == 30
    for question, scope, voters, answer in asked:
        assert not [r.ids for r in answer.documents if r.name == VOTES and r.ids], question
        assert scope.filters.as_of is None  # the files are as they are today
        one_of_all = ranks.rankings(question, scope, Filters()).documents[-1]
        assert len(one_of_all.ids) == 1, "with its own commits every ticket would find its file"
        later = ranks.rankings(question, scope, replace(voters, as_of=None)).documents[-1]
        assert len(later.ids) == 1, "so would it with the commits made later"


# What is saved.


def test_weights_that_win_are_saved_with_what_was_measured(bench, tmp_path):
    bench.index(*many(80))
    said: list[dict] = []
    answer = run(bench, Fixed(VOTES, 0.8), tmp_path, said=said)
    assert (answer["wins"], answer["saved"]) == (True, True)
    assert said[-1] == {"step": "ask", "done": 80, "total": 80}
    assert answer["weights"]["after"]["votes"] > answer["weights"]["before"]["votes"]
    assert answer["measured"]["after"]["MRR"] > answer["measured"]["before"]["MRR"]
    kept = json.loads((tmp_path / "tuning.json").read_text())
    assert kept == {
        "weights": answer["weights"]["after"],
        **{name: answer[name] for name in ("measured", "made", "questions", "embedders")},
    }
    assert [path.name for path in tmp_path.iterdir()] == ["tuning.json"]
    weights = saved(tmp_path, EMBEDDERS)
    assert asdict(weights) == answer["weights"]["after"]
    assert weights_of(tuned(TUNING, weights)) == weights
    assert tuned(TUNING, None) == TUNING
    assert json.loads(json.dumps(answer)) == answer
    assert "before   after" in text(answer)
    assert "They are saved" in text(answer)


def test_nothing_is_saved_by_a_dry_run_or_without_a_win(bench, tmp_path):
    bench.index(*many(60))
    dry = run(bench, Fixed(VOTES, 0.8), tmp_path, dry_run=True)
    assert (dry["wins"], dry["saved"]) == (True, False)
    assert "a dry run" in text(dry)
    lost = run(bench, Fixed("nothing", 0), tmp_path)
    assert (lost["wins"], lost["saved"]) == (False, False)
    assert "No weights are saved: held out, MRR changed by" in text(lost)
    assert not list(tmp_path.iterdir())


def test_the_same_index_gives_the_same_weights(bench, tmp_path):
    bench.index(*many(40))
    assert run(bench, Fixed(VOTES, 0.8), tmp_path) == run(bench, Fixed(VOTES, 0.8), tmp_path)


def test_weights_can_be_forgotten(tmp_path):
    write(tmp_path, GOOD)
    assert saved(tmp_path, EMBEDDERS) == Weights(1, 2, 0, 3, 0.5)
    assert forget(tmp_path)["forgotten"]
    assert saved(tmp_path, EMBEDDERS) is None
    again = forget(tmp_path)
    assert (again["forgotten"], text(again)) == (False, "No weights were saved.")


def test_earlier_weights_stay_where_new_ones_do_not_win_and_that_is_said(bench, tmp_path):
    write(tmp_path, GOOD)
    bench.index(*many(40))
    assert "saved earlier stay" in text(run(bench, Fixed("nothing", 0), tmp_path))
    assert saved(tmp_path, EMBEDDERS)


GOOD = {
    "weights": {"context_words": 1, "content_meaning": 2, "context_meaning": 0, "votes": 3.0, "document": 0.5},
    "embedders": ["letters-8@1", "letters-8@1"],
}


def write(data: Path, content: object) -> None:
    (data / "tuning.json").write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[" * 90_000,
        "x" * 200_000,
        [],
        {"embedders": ["letters-8@1", "letters-8@1"]},
        {"weights": [1, 2], "embedders": ["letters-8@1", "letters-8@1"]},
        {**GOOD, "weights": {}},
        {**GOOD, "weights": {**GOOD["weights"], "other": 1}},
        *({**GOOD, "weights": {**GOOD["weights"], "votes": bad}} for bad in (-1, 3.1, True, None, "1", float("nan"))),
        json.dumps(GOOD).replace("3.0", "1e999"),
        "\ud83d".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
def test_a_damaged_file_is_said_and_ignored(tmp_path, content):
    write(tmp_path, content)
    with capture_logs() as logs:
        assert saved(tmp_path, EMBEDDERS) is None
    assert [line["event"] for line in logs] == ["saved weights ignored"]
    assert "damaged" in logs[0]["reason"]


def test_weights_of_other_embedders_are_said_and_ignored(tmp_path):
    write(tmp_path, GOOD)
    with capture_logs() as logs:
        assert saved(tmp_path, Embedders(Letters(8), Letters(4))) is None
    assert "other embedders" in logs[0]["reason"]


# From end to end.


def test_a_team_whose_commits_know_better_than_its_words(bench, tmp_path):
    """The code says nothing of what the tickets are about, and files of notes all of it; earlier commits tell."""
    shop = Shop(tmp_path)
    words = {name: f"{name} " + " ".join(f"{name}{part}" for part in "abc") for name in NAMES}
    files = {f"src/m{number}.py": f"def week_{number}(x):\n    return x\n" for number in range(len(NAMES))}
    notes = {f"src/{name}/n{n}.py": f"# week of {words[name]}\nNOTES = {n}\n" for name in NAMES for n in range(12)}
    shop.origin.commit("First", {**files, **notes})
    tickets = []
    for number, (path, name) in enumerate(zip(files, NAMES, strict=True)):
        shop.origin.commit(f"Prepare {words[name]}", {path: files[path] + f"PREPARED = {number}\n"})
    for number in range(1, 41):
        name, path = NAMES[number % len(NAMES)], f"src/m{number % len(NAMES)}.py"
        shop.origin.commit(f"PAY-{number} {words[name]}", {path: files[path] + f"CHANGED = {number}\n"})
        tickets.append(ticket(number, f"Broken {name}", f"It fails with {words[name]} since last week."))
    bench.index(*tickets, *shop.everything().values())
    data = tmp_path / "data"
    data.mkdir()
    answer = run(bench, Ranks(bench), data)
    assert answer["questions"] == 40
    assert answer["saved"], text(answer)
    assert answer["measured"]["after"]["Acc@1"] > answer["measured"]["before"]["Acc@1"] + 0.3
    assert saved(data, EMBEDDERS).votes > TUNING.votes
