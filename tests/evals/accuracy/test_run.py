"""A whole run over a real repository: it goes on where it was interrupted, and what fails costs itself alone."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from core.types import Audience
from crosscheck.settings_evaluating import Eval
from evals.accuracy.agreement import NOT_SHOWN
from evals.accuracy.arms import serving
from evals.accuracy.cast import Cast
from evals.accuracy.finding import Found, History, by_messages
from evals.accuracy.judging import Pair
from evals.accuracy.models import Candidate, Price
from evals.accuracy.results import measurements, table_of
from evals.accuracy.run import Knowing, Leaked, Outcome, run
from evals.accuracy.scripted import candidate as scripted
from evals.accuracy.scripted.judges import judges
from evals.accuracy.scripted.writer import writer
from evals.accuracy.store import Store
from evals.accuracy.types import ARMS, Task
from evals.harness.errors import EvalError
from evals.harness.intervals import overall
from tests.crosscheck.mcp.fake import Operations
from tests.evals.accuracy.making import asked
from tests.evals.accuracy.repository import Repository

AUDIENCE = Audience(frozenset({"org"}))
LIMITS = Eval(calls=12)


def source(number: int, word: str) -> str:
    return "".join(f"def {word}_{at}(value):\n    return value * {at + number}\n\n\n" for at in range(12))


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """Five commits with code and a test each."""
    made = Repository(tmp_path_factory.mktemp("history") / "shop")
    made.commit("Start", {"README.md": "Shop\n"})
    for number in range(5):
        files = {f"src/part{number}.py": source(number, "price"), f"tests/test_part{number}.py": source(7, "check")}
        made.commit(f"Part {number} of the shop reckons prices\n\nA price is a multiple of its part.", files)
    return History("shop", made.folder)


@dataclass
class Shop:
    """A place whose Crosscheck answers what the tests of its tools answer."""

    history: History
    set: str = "shop"
    leaks: frozenset[str] = frozenset()
    """Titles of tasks of whose moment something later is known."""
    known: list[str] = field(default_factory=list)
    searched: int = 0
    interrupt: str = ""

    def find(self, most: int) -> Found:
        self.searched += 1
        return by_messages(self.history, most)

    @contextmanager
    def knowing(self, task: Task, store: Store) -> Iterator[Knowing]:
        assert store.folder.is_dir()
        if task.title in self.leaks:
            raise Leaked("jira:BOOK-1 says `later`")
        if task.title == self.interrupt:
            raise KeyboardInterrupt
        self.known.append(task.title)
        with serving(Operations(), AUDIENCE) as served:
            yield Knowing(served, ("Links as they are today: 3.",))


def casting(tasks: Sequence[Task], repositories, refused: str = "") -> Cast:
    one = scripted.candidate(tasks, repositories)
    return Cast((one,), {one.label: "script:candidate"}, writer(), judges(refused))


def ran(place: Shop, folder: Path, **more) -> Outcome:
    given = {"casting": casting, "limits": LIMITS, "seed": 1, "most": 10, **more}
    return run([place], given.pop("casting"), Store(folder), given.pop("limits"), **given)


def files(folder: Path) -> dict[str, bytes]:
    return {str(it.relative_to(folder)): it.read_bytes() for it in sorted(folder.rglob("*.json*"))}


@pytest.fixture(scope="module")
def done(history: History, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    folder = tmp_path_factory.mktemp("run")
    return folder, ran(Shop(history), folder)


# A whole run


def test_each_task_has_criteria_two_attempts_and_three_judges(done, history) -> None:
    folder, outcome = done
    tasks = outcome.tasks["shop"]
    assert len(tasks) == 5
    assert [task.moment for task in tasks] == sorted(task.moment for task in tasks)
    for task in tasks:
        assert (folder / "criteria" / f"{task.id}.json").is_file()
        assert {it.name for it in (folder / "attempts" / task.id).iterdir()} == {f"scripted-{arm}.json" for arm in ARMS}
        assert {it.name for it in (folder / "verdicts" / task.id / "scripted").iterdir()} == {
            f"{judge}.json" for judge in ("careful", "strict", "hasty")
        }
    (tickets,) = outcome.tickets.values()
    assert len(tickets) == 5
    assert not outcome.failed


def test_the_numbers_come_out_of_the_verdicts(done) -> None:
    folder, outcome = done
    (found,) = measurements(outcome, Store(folder), LIMITS, 1)
    assert (found.part, found.set, found.way) == ("accuracy", "shop", "scripted")
    assert {figure.kind for figure in found.figures} == {"wins", "judges", "arms"}
    for name in ("score, crosscheck", "score, baseline", "gain", "alpha", "extra output tokens", "extra dollars"):
        metric = next(one for one in found.metrics if one.name == name)
        interval = overall(found.values[name], share=metric.unit == "share")
        assert interval is not None
        assert interval.low <= interval.value <= interval.high
    agreement = overall(found.values["judges agree"])
    assert agreement is not None
    assert 0.5 < agreement.value < 1  # they err, but do not guess
    assert (
        "shop has 6 changes, of which 5 were taken as tasks. Looked at and left: its message says too little: 1."
        in found.notes
    )
    assert "Knowledge of 5 of 5 moments: Links as they are today: 3." in found.notes
    assert found.made_with["judges"].startswith("careful = script:careful, ")
    assert table_of(outcome.tickets["shop", "scripted"], ["careful", "strict", "hasty"]).row_count == 5


def test_what_the_candidate_says_and_where_a_patch_is_from_is_in_no_prompt_of_a_judge(history, tmp_path) -> None:
    seen = []

    def spy(label: str):
        def answer(messages, info):
            seen.append(str(messages) + str(info.instructions))
            return ModelResponse(parts=[TextPart("no")], finish_reason="content_filter")

        return asked(answer, label)

    def spied(tasks, repositories):
        return replace(casting(tasks, repositories), judges=tuple(map(spy, ("ada", "bo", "cy"))))

    limits = Eval(calls=12)
    outcome = ran(Shop(history), tmp_path / "run", casting=spied, limits=limits, most=1)
    assert len(outcome.failed) == 3
    assert seen
    for prompt in seen:
        assert "I made" not in prompt  # what the scripted candidate says in the end
        assert not any(word in prompt.lower() for word in ("crosscheck", "baseline", "scripted", "check_plan"))


# Going on


def test_nothing_is_made_again(done, history, tmp_path) -> None:
    folder, before = done
    was = files(folder)
    place = Shop(history)
    again = ran(place, folder)
    assert files(folder) == was
    assert (place.searched, place.known) == (0, [])
    assert again.tickets == before.tickets


def test_an_interrupted_run_goes_on_where_it_was(done, history, tmp_path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        ran(Shop(history, interrupt="Part 3 of the shop reckons prices"), folder)
    made = files(folder)
    assert sum(name.startswith("attempts/") for name in made) == 6
    place = Shop(history)
    outcome = ran(place, folder)
    assert place.known == ["Part 3 of the shop reckons prices", "Part 4 of the shop reckons prices"]
    kept = {name: content for name, content in made.items() if name.startswith(("attempts/", "verdicts/"))}
    assert {name: files(folder)[name] for name in kept} == kept
    scores = [measurements(it, Store(at), LIMITS, 1)[0].values["gain"] for at, it in (done, (folder, outcome))]
    assert scores[0] == scores[1]


def test_torn_files_are_made_again_and_what_was_deleted(done, history, tmp_path) -> None:
    folder = tmp_path / "run"
    first = ran(Shop(history), folder, most=2)
    task = first.tasks["shop"][0].id
    attempt = folder / "attempts" / task / "scripted-baseline.json"
    whole = json.loads(attempt.read_text())
    attempt.write_text(attempt.read_text()[:40])
    (folder / "verdicts" / task / "scripted" / "strict.json").unlink()
    again = ran(Shop(history), folder, most=2)
    assert json.loads(attempt.read_text())["attempt"]["patch"] == whole["attempt"]["patch"]
    assert (folder / "verdicts" / task / "scripted" / "strict.json").is_file()
    assert not again.failed


def test_edited_criteria_are_judged_anew_and_their_errors_named(done, history, tmp_path) -> None:
    folder = tmp_path / "run"
    first = ran(Shop(history), folder, most=1)
    task = first.tasks["shop"][0].id
    path = folder / "criteria" / f"{task}.json"
    criteria = json.loads(path.read_text())
    path.write_text(json.dumps([*criteria, {"id": "own", "text": "Something that nobody has done"}]))
    again = ran(Shop(history), folder, most=1)
    (ticket,) = again.tickets["shop", "scripted"]
    assert all("own" in one.met for arm in ARMS for one in ticket.verdicts[arm])
    path.write_text(json.dumps(criteria[:1]))
    broken = ran(Shop(history), folder, most=1)
    assert "these are no criteria" in broken.failed[0].failure.reason
    path.write_text("[{")
    broken = ran(Shop(history), folder, most=1)
    assert "Mend it, or delete it" in broken.failed[0].failure.reason
    assert path.read_text() == "[{"


def test_other_models_or_another_seed_need_another_folder(done, history) -> None:
    folder, _outcome = done

    def other(tasks, repositories):
        return replace(casting(tasks, repositories), names={"scripted": "openai:new"})

    with pytest.raises(EvalError, match=r"has script:candidate as scripted, and now it is openai:new"):
        ran(Shop(history), folder, casting=other)
    with pytest.raises(EvalError, match="has the seed 1, not 2"):
        ran(Shop(history), folder, seed=2)
    with pytest.raises(EvalError, match=r"has attempts of 12 calls, .*, and now they are of 24 calls"):
        ran(Shop(history), folder, limits=Eval(calls=24))


def test_an_edited_task_is_attempted_and_judged_anew(history, tmp_path) -> None:
    folder = tmp_path / "run"
    (first,) = ran(Shop(history), folder, most=1).tickets["shop", "scripted"]
    place = Shop(history)
    edited = replace(first.task, text="As somebody edited it.")
    (again,) = ran(place, folder, given=[edited]).tickets["shop", "scripted"]
    assert place.known == [edited.title]
    assert again.attempts["baseline"].spent != first.attempts["baseline"].spent
    assert again.verdicts != first.verdicts


def test_tasks_that_were_found_are_not_looked_for_again_and_that_is_said(history, tmp_path) -> None:
    said: list[str] = []
    ran(Shop(history), tmp_path / "run", most=1)
    ran(Shop(history), tmp_path / "run", most=5, say=said.append)
    assert said[0] == "shop has its 1 tasks from before. Another --most needs another --out."


def test_a_ticket_may_hold_any_sign_that_ends_a_line(done, tmp_path) -> None:
    _folder, outcome = done
    one = replace(outcome.tasks["shop"][0], text="One\u2028two\u0085three\x0cfour\r\nfive")
    store = Store(tmp_path)
    store.add_tasks([one])
    assert store.tasks() == (one,)


def test_labels_with_dashes_do_not_share_a_file(done, tmp_path) -> None:
    _folder, outcome = done
    ticket = outcome.tickets["shop", "scripted"][0]
    store = Store(tmp_path)
    pairs = []
    for candidate, judge in (("a-b", "c"), ("a", "b-c")):
        attempts = {arm: replace(one, candidate=candidate) for arm, one in ticket.attempts.items()}
        pair = Pair(ticket.task, ticket.criteria, attempts)
        verdicts = tuple(replace(ticket.verdicts[arm][0], candidate=candidate, judge=judge) for arm in ARMS)
        store.keep_verdicts(pair, judge, verdicts)
        pairs.append((pair, judge, verdicts))
    for pair, judge, verdicts in pairs:
        assert store.verdicts(pair, judge) == verdicts


def test_two_runs_do_not_work_in_one_folder(tmp_path) -> None:
    with Store(tmp_path).alone(), pytest.raises(EvalError, match="Another run works in"), Store(tmp_path).alone():
        pass
    with Store(tmp_path).alone():
        pass


def test_what_an_attempt_took_is_counted_also_where_its_tools_went_away(history, tmp_path) -> None:
    class Gone(Shop):
        @contextmanager
        def knowing(self, task: Task, store: Store) -> Iterator[Knowing]:
            with ExitStack() as stack:
                served = stack.enter_context(serving(Operations(), AUDIENCE))
                self.stop = stack.close
                yield Knowing(served, ())

    place = Gone(history)
    price = Price(1.0, 1.0)

    def casts(tasks, repositories):
        def model(_task, arm):
            def answer(messages, info):
                if len(messages) > 1 and arm == "crosscheck":
                    place.stop()
                asks = len(messages) < 5 and arm == "crosscheck"
                part = ToolCallPart("search", {"text": "a"}) if asks else TextPart("Done.")
                return ModelResponse(parts=[part])

            return FunctionModel(answer)

        cast = casting(tasks, repositories)
        return replace(cast, candidates=(Candidate("scripted", model, price),))

    outcome = ran(place, tmp_path / "run", casting=casts, most=1)
    assert [one.failure.what for one in outcome.failed] == ["attempt, crosscheck"]
    entries = [json.loads(it) for it in (tmp_path / "run" / "spent.jsonl").read_text().splitlines()]
    (entry,) = [it for it in entries if it["what"] == "attempt, crosscheck"]
    assert entry["spent"]["requests"] >= 2
    assert entry["spent"]["dollars"] > 0


# What fails


def test_a_leak_costs_its_task_alone_and_nothing_is_attempted(history, tmp_path) -> None:
    folder = tmp_path / "run"
    outcome = ran(Shop(history, leaks=frozenset({"Part 2 of the shop reckons prices"})), folder)
    (failed,) = outcome.failed
    assert (failed.failure.what, failed.failure.reason) == ("leak", "jira:BOOK-1 says `later`")
    assert not (folder / "attempts" / failed.failure.case).exists()
    assert not (folder / "knowledge" / f"{failed.failure.case}.json").exists()
    (found,) = measurements(outcome, Store(folder), LIMITS, 1)
    assert len(found.values["gain"]) == 4
    assert "4 of 5 tasks were attempted in both arms." in found.notes


def test_a_judge_that_fails_costs_its_own_verdicts_alone(history, tmp_path) -> None:
    title = "Part 4 of the shop reckons prices"
    folder = tmp_path / "run"
    outcome = ran(Shop(history), folder, casting=lambda *given: casting(*given, refused=title), most=3)
    found = measurements(outcome, Store(folder), LIMITS, 1)[0]
    (failure,) = found.failures
    assert (failure.what, failure.reason) == (
        "judge hasty",
        "hasty gave no usable answer: it refused to answer.",
    )
    assert any(note.startswith("1 of 3 tickets have verdicts of fewer than 3 judges") for note in found.notes)
    assert set(found.values["agree: careful, strict"]) > set(found.values["gain"])


def test_all_that_may_be_spent_is_spent_and_what_is_there_is_told(history, tmp_path) -> None:
    folder = tmp_path / "run"
    said: list[str] = []
    outcome = ran(Shop(history), folder, limits=Eval(calls=12, dollars=0.05), say=said.append)
    assert "The run was stopped when" in outcome.stopped
    (tickets,) = outcome.tickets.values()
    assert 0 < len(tickets) < 5
    assert any(outcome.stopped in one.notes for one in measurements(outcome, Store(folder), LIMITS, 1))
    assert said[1].startswith("5 tasks: at most 10 attempts of 12 calls, 400,000 tokens and 30 minutes each, and 15")
    assert said[2].startswith("It stops at 0.05 $ ([eval].dollars), of which 0.00 $ are spent")
    went_on = ran(Shop(history), folder)
    assert not went_on.stopped
    assert len(went_on.tickets["shop", "scripted"]) == 5


def test_a_history_without_tasks_is_said(tmp_path) -> None:
    made = Repository(tmp_path / "bare")
    made.commit("Start", {"README.md": "Shop\n"})
    with pytest.raises(EvalError, match=r"There is no task in shop\. A task is a merged change"):
        ran(Shop(History("shop", made.folder)), tmp_path / "run")


def test_tasks_of_a_file_are_taken_as_they_are(done, history, tmp_path) -> None:
    _folder, outcome = done
    one = replace(outcome.tasks["shop"][1], text="As somebody edited it.")
    place = Shop(history)
    again = ran(place, tmp_path / "run", given=[one])
    assert again.tasks["shop"] == (one,)
    assert place.searched == 0


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (lambda line: line.replace('"id": "shop', '"id": "../shop'), "cannot be the name of a file"),
        (lambda line: f"{line}\n{line}", "is there twice"),
        (lambda line: re.sub(r'"base": "\w+"', '"base": "--output=own"', line), "must be whole ids of commits"),
        (lambda line: re.sub(r'"tip": "\w+"', '"tip": "HEAD"', line), "must be whole ids of commits"),
        (lambda line: line.replace("moment", "when"), "is no task: moment: Field required"),
        (lambda line: line[:-5], "is no task"),
    ],
)
def test_tasks_that_somebody_edited_wrongly_are_refused(done, tmp_path, change, wrong) -> None:
    folder, _outcome = done
    own = tmp_path / "tasks.jsonl"
    own.write_text(change((folder / "tasks.jsonl").read_text().splitlines()[0]))
    with pytest.raises(EvalError, match=wrong):
        Store(tmp_path).tasks()


def test_what_was_spent_is_kept_also_where_the_last_line_is_torn(done, tmp_path) -> None:
    folder, outcome = done
    store = Store(folder)
    total = store.dollars()
    assert total > 0
    (tmp_path / "spent.jsonl").write_bytes((folder / "spent.jsonl").read_bytes() + b'{"what": "att\xc3')
    assert Store(tmp_path).dollars() == pytest.approx(total)
    attempts = sum(
        ticket.attempts[arm].spent.dollars or 0 for ticket in outcome.tickets["shop", "scripted"] for arm in ARMS
    )
    assert attempts < total


def test_an_empty_patch_is_never_shown(done) -> None:
    _folder, outcome = done
    for ticket in outcome.tickets["shop", "scripted"]:
        for arm in ARMS:
            shown = {one.shown_as != NOT_SHOWN for one in ticket.verdicts[arm]}
            assert shown == {bool(ticket.attempts[arm].patch)}
