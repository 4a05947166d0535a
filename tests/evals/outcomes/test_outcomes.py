"""`crosscheck eval outcomes`: the shares, what is said beside them, and that neither names nor texts are kept."""

import csv
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.types import Locator
from crosscheck import settings as config
from crosscheck.cli import app
from crosscheck.errors import AlreadyRunning
from crosscheck.owner import owning
from evals.harness.cases import Scored
from evals.harness.errors import EvalError
from evals.harness.intervals import middle, overall
from evals.harness.types import Counted
from evals.outcomes import measure as measuring
from evals.outcomes.measure import ALL, DAYS, LIKED, UNKNOWN, measure, measurement, of_category, of_priority, of_rule
from evals.outcomes.reading import PAGE, Installation
from evals.outcomes.types import Outcome, Sign, Subject
from evals.playground import OPENED
from review.checks import undecided
from review.previous import told_records
from review.types import Cited, Finding, Priority
from state.feedback import Feedback
from state.types import NewPost, NewReview
from tests.crosscheck.live import Small
from tests.evals.outcomes.stage import DEVELOPER, Stage, staged

LEASE = timedelta(seconds=60)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """An edit, an answer, a dismissal, nothing, a ticket that is gone, all of more than a week ago; and a young one."""
    with staged(tmp_path_factory.mktemp("measured")) as made:
        edited, answered, dismissed, _, gone = (made.reviewed() for _ in range(5))
        made.edit(edited)
        made.say(answered, f"{made.number(answered, undecided.ID)}: a PDF, decided with sales.", DEVELOPER)
        made.ask(dismissed, f"dismiss {made.number(dismissed, undecided.ID)}: nobody exports")
        made.box.jira.delete_issue(gone)
        made.grow_old()
        made.reviewed()
        yield made


def quiet(_done: int, _total: int, _name: str) -> None:
    """Nobody watches a test."""


def outcome(sign: Sign, days: float = 0, **more: str) -> Outcome:
    kind = {"fingerprint": "f", "rule": "limit", "category": "conflict", "priority": "P1", **more}
    return Outcome(**kind, told_at=OPENED, sign=sign, at=OPENED + timedelta(days=days))


def counted(*subjects: Subject) -> Scored[Subject]:
    values: dict[str, dict[str, Counted]] = {}
    for subject in subjects:
        for metric, value in measuring.signs(subject.key, subject).items():
            values.setdefault(metric, {})[subject.key] = value
    return Scored(values, {subject.key: subject for subject in subjects}, ())


def test_each_share_is_of_the_findings_that_are_old_enough_and_known(stage: Stage) -> None:
    measured, subjects = measure(Installation(stage.program), None, quiet)
    assert (measured.part, measured.failures) == ("outcomes", ())
    of = {name: sum(value.whole for value in values.values()) for name, values in measured.values.items()}
    parts = {name: sum(value.part for value in values.values()) for name, values in measured.values.items()}
    judged = sum(one.sign in {Sign.EDIT, Sign.REPLY, Sign.DISMISSED, Sign.NONE} for s in subjects for one in s.outcomes)
    assert {of[name] for name in (ALL, "dismissed", "no sign", "accepted by edit", "accepted by reply")} == {judged}
    assert (parts[ALL], parts["accepted by edit"], parts["accepted by reply"], parts["dismissed"]) == (2, 1, 1, 1)
    assert parts[ALL] + parts["dismissed"] + parts["no sign"] == judged
    assert parts[of_rule(undecided.ID)] == parts[of_category("undecided condition")] == parts[of_priority("P1")] == 2
    assert of[DAYS] == 2
    assert parts[UNKNOWN] > 0
    assert len(measured.values[ALL]) == 4
    assert any("1 tickets and pages are gone" in note for note in measured.notes)
    assert any(note.startswith("Not read: jira:") for note in measured.notes)
    assert any("are younger than 7 days" in note for note in measured.notes)


def test_neither_names_nor_texts_are_kept(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = settings_file(stage, tmp_path, monkeypatch)
    with owning(stage.program.settings.data, "serve"):  # it is read beside a service
        answer = given(file, "--results", tmp_path / "kept", "--list", tmp_path / "list.csv", "--json")
    (kept,) = (tmp_path / "kept").iterdir()
    listed = (tmp_path / "list.csv").read_text("utf-8")
    for text in (answer, kept.read_text("utf-8"), listed):
        assert "RUN-1" in text
        for word in ("Ana", "Ben", "ana@example.com", "po-1", "TBD", "nobody exports", "decided with sales"):
            assert word not in text, word
    rows = list(csv.DictReader(listed.splitlines()))
    assert {"accepted by edit", "accepted by reply", "dismissed", "no sign", "unknown"} <= {
        row["outcome"] for row in rows
    }
    assert json.loads(answer)["measurements"][0]["part"] == "outcomes"


def test_a_review_of_now_needs_the_index_to_itself(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = settings_file(stage, tmp_path, monkeypatch)
    with owning(stage.program.settings.data, "serve"), pytest.raises(AlreadyRunning, match="crosscheck serve"):
        given(file, "--rerun")
    assert "accepted by edit" in given(file, "--rerun", "--since", "2026-01-01")


def test_where_nothing_was_told_it_is_said(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = settings_file(stage, tmp_path, monkeypatch, data=tmp_path / "empty")
    with pytest.raises(EvalError, match="nothing was told yet"):
        given(file)
    assert not (tmp_path / "empty").exists()


def test_replies_that_people_rated_are_told_beside(stage: Stage) -> None:
    jobs, feedback = stage.program.jobs, Feedback(stage.program.database, stage.clock)
    job, other = sorted(one.id for one in jobs.list(limit=1000))[:2]
    for person, verdict in (("U1", "down"), ("U2", "up"), ("U1", "up"), ("U3", "down")):
        feedback.add(job, person, verdict, "because")
    dismissing = next(one.id for one in jobs.list(limit=1000) if "dismissed" in (jobs.show(one.id).result or {}))
    feedback.add(dismissing, "U1", "up")
    installation = Installation(stage.program)
    assert installation.rated() == {job: {"U1": "up", "U2": "up", "U3": "down"}}
    assert installation.rated(stage.clock() + timedelta(days=1)) == {}
    measured = measurement(counted(), installation.rated())
    assert measured.values[LIKED] == {f"reply {job}": Counted(2, 3)}
    assert other != job


def test_subjects_are_the_cases_and_the_middle_is_told() -> None:
    first = Subject("A-1", (outcome(Sign.EDIT, 1), outcome(Sign.EDIT, 3), outcome(Sign.NONE), outcome(Sign.YOUNG)))
    second = Subject("A-2", (outcome(Sign.REPLY, 9, rule="model", priority="P0"), outcome(Sign.UNKNOWN)))
    measured = measurement(counted(first, second, Subject("A-3", ())), {})
    found = overall(measured.values[ALL])
    assert found is not None
    assert (found.value, found.n) == (0.75, 2)
    assert measured.values[UNKNOWN] == {"A-1": Counted(0, 3), "A-2": Counted(1, 2)}
    assert measured.values[of_rule("model")] == {"A-2": Counted(1, 1)}
    assert any("accepted within 3.0 days" in note for note in measured.notes)
    assert middle({"A-1": [1, 3], "A-2": [9], "A-3": []}) == middle({"A-2": [9], "A-1": [1, 3]})
    assert middle({"A-3": []}) is None


def test_several_thousand_findings_are_read_in_pages(stage: Stage, tmp_path: Path) -> None:
    """Of tickets that are not there: what is unknown is counted."""
    subjects, each = 2 * PAGE + 1, 15
    with closing(Small(stage.box, tmp_path / "data", clock=stage.clock)) as program:
        for number in range(subjects):
            tell(program, f"{stage.box.jira_url}|jira:{900_000 + number}", each)
        stage.grow_old()
        measured, _ = measure(Installation(program), None, quiet)
    assert sum(value.part for value in measured.values[UNKNOWN].values()) == subjects * each
    assert len(measured.values[UNKNOWN]) == subjects
    assert ALL not in measured.values


def tell(program: Small, subject: str, findings: int) -> None:
    """A review that was posted, as the worker leaves it."""
    cited = Cited(Locator("jira:1", "A-1", "https://tickets.example/1"), frozenset({"org"}), "quote")
    one = Finding("limit", "conflict", Priority.P1, "It.", "Why.", "Which?", (cited,))
    told = [replace(one, evidence=(replace(cited, quote=f"quote {number}"),)) for number in range(findings)]
    program.jobs.accept(subject, "comment", {}, surface="jira", via="poll", subject=subject)
    claim = program.jobs.claim("w", LEASE)
    assert claim is not None
    review = NewReview(subject, "10", frozenset({"org"}), told_records(told), program.clock())
    program.jobs.finish(claim, "done", {}, [NewPost(f"{subject}|1", 1, 1, {})], review=review)
    post = program.outbox.claim("w", LEASE)
    assert post is not None
    program.outbox.sent(post, "c", "https://tickets.example/1", adopted=False)


def settings_file(stage: Stage, folder: Path, monkeypatch: pytest.MonkeyPatch, *, data: Path | None = None) -> Path:
    """What an administrator of the stage's company would write; the secrets are in the environment."""
    monkeypatch.setenv(config.variable("jira_read_token"), stage.box.read_token)
    monkeypatch.setenv(config.variable("jira_post_token"), stage.box.post_token)
    file = folder / config.FILE
    file.write_text(
        f'data = "{data or stage.program.settings.data}"\n[jira]\nsite = "{stage.box.jira_url}"\nprojects = ["RUN"]\n'
        f'read_user = "{stage.box.read_user}"\npost_user = "{stage.box.post_user}"\n',
        "utf-8",
    )
    return file


def given(file: Path, *arguments: object) -> str:
    command = ["--config", file, "eval", "outcomes", *arguments]
    answer = CliRunner().invoke(app, [*map(str, command)], catch_exceptions=False)
    assert answer.exit_code == 0
    return answer.stdout
