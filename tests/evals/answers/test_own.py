"""`crosscheck eval answers`: a team's own questions, asked of its installation, and the make-believe company's."""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crosscheck.cli import app
from crosscheck.operations import Local
from crosscheck.owner import owning
from crosscheck.wiring import Program
from evals.harness import stored
from evals.harness.types import Counted
from evals.questions.judging import ANSWERED, SUPPORTED, TOKENS
from evals.questions.own import measure, named
from evals.questions.scores import CALLS, FACTS, LANGUAGE, MADE_UP, PRECISION, READ, RECALL, refused
from sandbox.load import load_company
from sandbox.model_replies import Answer, Json, Structured
from tests.crosscheck.live import Opened, at_work, opened, quick
from tests.evals.answers.reading import opinion

OWN = """\
[[question]]
id = "lock"
text = "How long does the lock of a passenger's account last, and what ends it?"
wanted = [["page:account security policy"]]
facts = [["The lock lasts 30 minutes"]]
fine = ["ticket:BKG-97", "ticket:BKG-139", "ticket:BKG-142", "ticket:BKG-143", "ticket:BKG-145",
        "file:booking-api/src/booking/accounts.py", "file:booking-api/tests/test_accounts.py",
        "file:booking-api/qa/cases.csv", "commit:booking-api@COMMIT"]
old = ["page:7002"]

[[question]]
id = "constant"
text = "What is MAX_FAILED_SIGN_INS set to?"
wanted = [["file:booking-api/src/booking/accounts.py"], ["ticket:BKG-9999"]]
fine = ["file:booking-api/tests/test_accounts.py", "page:No such page"]

[[question]]
id = "database"
text = "Which version of PostgreSQL do we run in production?"

[[question]]
id = "secret"
part = "held"
text = "Which colour has the office?"
fine = ["page:Nobody may know of this"]
"""
JUDGES = "amber", "birch", "cedar"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with opened(load_company(), tmp_path_factory.mktemp("own")) as found:
        with owning(found.settings.data, "sync"), closing(Program(found.settings, found.secrets)) as program:
            for name in program.sources.names([]):
                program.sources.sync(name, True, lambda _message: None)
        yield found


@pytest.fixture
def own(installed: Opened, tmp_path: Path) -> Path:
    repo = next(one.location for one in installed.settings.git if one.name == "booking-api")
    command = ["git", "-C", repo, "log", "--grep=Lock for 30 minutes", "--format=%h", "--abbrev=9"]
    commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    path = tmp_path / "ours.toml"
    path.write_text(OWN.replace("COMMIT", commit), "utf-8")
    return path


def quiet(_line: str) -> None:
    """Nobody watches a test."""


def given(file: Path, *arguments: object) -> str:
    command = ["--config", str(file), "eval", "answers", *map(str, arguments)]
    answer = CliRunner().invoke(app, command, catch_exceptions=False)
    assert answer.exit_code == 0
    return answer.stdout


def test_questions_of_one_s_own_are_asked_and_what_they_name_is_looked_up(installed: Opened, own: Path) -> None:
    with (
        owning(installed.settings.data, "eval answers"),
        closing(Program(installed.settings, installed.secrets)) as program,
    ):
        asked = measure(own, Local(program), "org", quiet)
        held = measure(own, Local(program), "org", quiet, held=True).measurement()
    found = asked.measurement()
    assert (found.part, found.set, found.way, found.failures) == ("answers", "ours", "as installed", ())
    assert found.values[PRECISION] == {"lock": Counted(1), "constant": Counted(1)}
    assert found.values[RECALL] == {"lock": Counted(1), "constant": Counted(0.5)}
    assert found.values[FACTS] == {"lock": Counted(1, 1)}
    assert found.values[refused("unanswerable")] == {"database": Counted(1)}
    assert found.made_with["answered by"].startswith("search alone")
    assert found.made_with["embedder of documents"]
    missing, wrong = found.notes
    assert missing.startswith("2 of the documents that are named are not in the index for who asks: page:No such page")
    assert wrong == "constant: misses ticket:BKG-9999."
    lock = asked.scored.outputs["lock"]
    assert all(source.texts and source.labels for source in lock.answer.sources)
    assert (held.set, set(held.values[refused("unanswerable")])) == ("ours, held", {"held 01"})
    assert held.notes[0].startswith("1 of the documents that are named are not in the index for who asks. They")
    assert "Nobody" not in str(held)


def test_a_running_service_answers_them_three_judges_read_them_and_the_run_is_kept(
    installed: Opened, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = installed.box.model

    def judge(request: Json) -> Answer:
        assert [tool["function"]["name"] for tool in request["tools"]] == ["final_result"]
        return Structured(opinion(request["messages"][-1]["content"]))

    model.answer_by(judge)
    for name, value in installed.environment.items():
        monkeypatch.setenv(name, value)
    for label in JUDGES:
        monkeypatch.setenv(f"CROSSCHECK_EVAL_KEY_{label.upper()}", model.key)
    judges = [
        f'[[eval.judges]]\nlabel = "{label}"\nname = "openai:{label}"\nbase_url = "{installed.box.model_url}/v1"\n'
        for label in JUDGES
    ]
    file = installed.file.with_name("judged.toml")
    file.write_text("\n".join([installed.file.read_text("utf-8"), *judges]), "utf-8")
    settings = quick(installed.settings)
    with at_work(installed.box, Program(settings, installed.secrets), index=False, webhooks=False):
        given(file, "--questions", own, "--judges", "--results", tmp_path / "kept", "--json")
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.name.endswith("-answers-ours.json")
    (found,) = stored.read(kept).measurements
    assert found.failures == ()
    assert found.values[RECALL]["lock"] == Counted(1)
    assert found.values[SUPPORTED].keys() == found.values[ANSWERED].keys() == {"lock", "constant"}
    assert share(found.values[SUPPORTED]) == 1  # they are quotes
    assert share(found.values[TOKENS]) > 0


def test_the_company_s_questions_are_asked_in_three_ways_and_the_run_is_kept_and_reported(
    installed: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_line(request: Json) -> Answer:
        """Says what the first source says first."""
        name, text = re.findall(r'id="(S1)" kind="\w*">\n.*?\n---\n(.*?)\n', request["messages"][-1]["content"])[0]
        return Structured({"statements": [{"text": text, "sources": [name]}], "open": []})

    installed.box.model.answer_by(first_line)
    monkeypatch.setenv("CROSSCHECK_MODEL_API_KEY", installed.box.model.key)
    file = tmp_path / "crosscheck.toml"
    file.write_text(f'[model]\nname = "openai:first"\nbase_url = "{installed.box.model_url}/v1"\n', "utf-8")
    told = json.loads(given(file, "--model", "--results", tmp_path / "kept", "--report", tmp_path / "pages", "--json"))
    assert [(one["set"], one["way"]) for one in told["measurements"]] == [
        ("sandbox, open", "no model"),
        ("sandbox, open", "scripted reader"),
        ("sandbox, open", "openai:first"),
    ]
    assert "openai:first" in (tmp_path / "pages" / "index.html").read_text("utf-8")
    quoted, read, first = stored.read(next((tmp_path / "kept").iterdir())).measurements
    for one in (quoted, read):
        assert one.failures == ()
        assert share(one.values[PRECISION]) >= 0.9
        assert share(one.values[RECALL]) >= 0.8
        assert share(one.values[refused("restricted")]) == share(one.values[refused("unanswerable")]) == 1
    assert share(quoted.values[LANGUAGE]) == 1
    assert share(read.values[MADE_UP]) == 0
    assert share(first.values[CALLS]) == 1
    assert share(first.values[READ]) == 100  # as the server says
    assert share(first.values[RECALL]) < share(read.values[RECALL])


def share(values: dict[str, Counted]) -> float:
    return sum(one.part for one in values.values()) / sum(one.whole for one in values.values())


@pytest.mark.parametrize(
    ("document", "title", "name"),
    [
        ("jira:10012", "PAY-12 Lock accounts, Comments", "ticket:PAY-12"),
        ("jira:10012:comment:7", "PAY-12 Lock accounts, comment by Ana", "ticket:PAY-12"),
        ("jira:10012", "Without a key", "jira:10012"),
        ("confluence:7:attachment:1", "limits.xlsx", "page:7"),
        ("git:shop:src/a b.py", "src/a b.py, line 3", "file:shop/src/a b.py"),
        ("git:shop@feature/x:src/a.py", "src/a.py on feature/x", "file:shop/src/a.py"),
        ("git:shop@0123456789abcdef", "Start", "commit:shop@0123456789ab"),
        ("git:shop!12", "Pull request 12", "git:shop!12"),
        ("qa:gate:GT-01", "GT-01 Low battery", "qa:GT-01"),
        ("qa:gate://runs.csv", "runs.csv", "qa:gate://runs.csv"),
        ("files:handbook:travel.pdf", "travel.pdf", "files:handbook:travel.pdf"),
    ],
)
def test_documents_are_called_as_the_product_calls_them(document: str, title: str, name: str) -> None:
    assert named(document, title) == name
