"""`crosscheck eval reviews`: its example, and a team's own set, reviewed by the installation, posting nothing."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crosscheck.cli import app
from crosscheck.operations import Local
from crosscheck.owner import owning
from crosscheck.wiring import Program
from evals.cli import eval_app
from evals.harness import stored
from evals.harness.types import Counted
from evals.planted.load import PlantedError, read
from evals.planted.own import EXAMPLE, measure, planted_on_site
from evals.planted.scores import NON_GAPS, RECALL, RESTRICTED, SAME
from sandbox.load import load_company
from tests.crosscheck.live import Opened, at_work, opened, quick

OWN = """\
[[ticket]]
key = "BKG-142"
about = "A decision that is open, and the policy"

[[ticket.gap]]
what = "TITLE"
cites = [{ in = ["jira:BKG-142"], quotes = [] }]

[[ticket.leave]]
what = "Nobody says so"
cites = [{ in = ["confluence:PAGE"], quotes = ["never said at all"] }]
"""


class Site:
    where = "on this site"

    def ticket(self, _key: str) -> str | None:
        return "jira:10001"

    def has(self, _document: str) -> bool:
        return True


def given(*arguments: object) -> str:
    answer = CliRunner().invoke(eval_app, ["reviews", *map(str, arguments)], catch_exceptions=False)
    assert answer.exit_code == 0
    return answer.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with opened(load_company(), tmp_path_factory.mktemp("own")) as found:
        with owning(found.settings.data, "sync"), closing(Program(found.settings, found.secrets)) as program:
            for name in program.sources.names([]):
                program.sources.sync(name, True, lambda _message: None)
        yield found


@pytest.fixture
def own(installed: Opened, tmp_path: Path) -> Path:
    path = tmp_path / "ours.toml"
    path.write_text(OWN.replace("PAGE", installed.box.company.pages[0].id), "utf-8")
    return path


def quiet(_line: str) -> None:
    """Nobody watches a test."""


def test_the_example_is_a_set(tmp_path: Path) -> None:
    path = tmp_path / "example.toml"
    path.write_text(given("--example"), "utf-8")
    assert path.read_text("utf-8") == EXAMPLE
    (ticket,) = read(path, Site())
    assert (ticket.key, len(ticket.gaps), ticket.leaves[0].answered) == ("SHOP-12", 1, True)


def test_a_set_of_one_s_own_is_reviewed_and_nothing_is_posted(installed: Opened, own: Path) -> None:
    before = len(installed.box.jira.comments("BKG-142"))
    tickets = planted_on_site(own, installed.settings, installed.secrets)
    with (
        owning(installed.settings.data, "eval reviews"),
        closing(Program(installed.settings, installed.secrets)) as program,
    ):
        measured = measure(own, tickets, Local(program), "org", quiet, runs=2)
    assert (measured.part, measured.set, measured.failures) == ("reviews", "ours", ())
    assert measured.made_with["reviewed by"].startswith("rules alone")
    found = {name: measured.values[name]["BKG-142"] for name in (RECALL, NON_GAPS, SAME)}
    assert found == {RECALL: Counted(2, 2), NON_GAPS: Counted(0, 2), SAME: Counted(1)}
    assert RESTRICTED not in measured.values  # nobody said which words are restricted, so nothing looked for them
    assert len(installed.box.jira.comments("BKG-142")) == before


def test_a_running_service_reviews_it_and_the_run_is_kept(
    installed: Opened, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in installed.environment.items():
        monkeypatch.setenv(name, value)
    settings = quick(installed.settings)
    with at_work(installed.box, Program(settings, installed.secrets), index=False, webhooks=False):
        command = [
            "--config",
            installed.file,
            "eval",
            "reviews",
            "--set",
            own,
            "--results",
            tmp_path / "kept",
            "--json",
        ]
        answer = CliRunner().invoke(app, [*map(str, command)], catch_exceptions=False)
    assert answer.exit_code == 0
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.name.endswith("-reviews-ours.json")
    assert stored.read(kept).measurements[0].values[RECALL]["BKG-142"] == Counted(2, 2)


@pytest.mark.parametrize(
    ("text", "other", "said"),
    [
        ("BKG-142", "BKG-9999", "no ticket 'BKG-9999' where the account that reads can see it"),
        ('"confluence:PAGE"', '"confluence:99"', "'confluence:99', which is not where the account that reads"),
        ('"confluence:PAGE"', '"git:nowhere:a.py"', "'git:nowhere:a.py', which is not"),
    ],
)
def test_what_is_not_there_is_said_before_anything_is_reviewed(
    installed: Opened, tmp_path: Path, text: str, other: str, said: str
) -> None:
    path = tmp_path / "ours.toml"
    path.write_text(OWN.replace(text, other), "utf-8")
    with pytest.raises(PlantedError, match=said):
        planted_on_site(path, installed.settings, installed.secrets)


def test_a_file_that_is_nested_beyond_measure_is_no_set(tmp_path: Path) -> None:
    path = tmp_path / "deep.toml"
    path.write_text(f"a = {'[' * 100_000}", "utf-8")
    with pytest.raises(PlantedError, match="cannot be read"):
        read(path, Site())


def test_a_file_that_is_not_there_and_options_that_do_not_go_together_are_refused(
    installed: Opened, tmp_path: Path
) -> None:
    with pytest.raises(PlantedError, match="goes with neither"):
        given("--set", tmp_path / "none.toml", "--held")
    with pytest.raises(PlantedError, match=r"none\.toml is no file.*--example"):
        planted_on_site(tmp_path / "none.toml", installed.settings, installed.secrets)
