"""What a report says of a run, as HTML and as Markdown."""

import json
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bots.text import one_line
from crosscheck.cli import main
from evals.harness import stored
from evals.harness.errors import EvalError
from evals.harness.types import Counted, Failure, Figure, Measurement, Metric
from evals.report import pages
from evals.report.content import MOST_FAILURES, report
from evals.report.kinds import held
from evals.report.markdown import escaped
from evals.report.plots import MOST_TICKETS
from evals.report.rows import NAME
from evals.report.together import together
from evals.report.write import write_report
from tests.evals.report import made

RECALL = Metric("recall", "Share of what is to be found that was found")
SOME = {"recall": {"a": Counted(1), "b": Counted(0)}}


def measurement(**more) -> Measurement:
    return Measurement(**{"part": "reviews", "set": "s", "way": "w", "metrics": (RECALL,), "values": SOME} | more)


class Words(HTMLParser):
    """The text that a reader of a page sees, and the tags that it is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.tags, self._styled = "", [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._styled = tag == "style"

    def handle_endtag(self, tag):
        self._styled = False

    def handle_data(self, data):
        self.text += "" if self._styled else data


def of_markdown(page: str) -> str:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    return " ".join("".join(child.content for child in token.children or ()) for token in tokens)


def solid(text: str) -> str:
    return "".join(text.split())


def both(run, before=None) -> tuple[str, str]:
    said = report(run, before)
    drawings = {(section.number, at): [] for section in said.sections for at in range(1, len(section.pictures) + 1)}
    return Words(pages.html(said)).text, of_markdown(pages.markdown(said, drawings))


# What it says


def test_what_got_worse_is_named_first_then_what_is_better_other_missing_and_failed() -> None:
    now, then = made.runs(())
    said = report(now, then)
    assert [row.name for section in said.sections for row in section.of("worse")] == [
        "recall@5",
        "nDCG@10",
        "false findings",
    ]
    for text in both(now, then):
        heads = ["Worse beyond noise", "Better beyond noise", "Other than before", "Missing now", "Failures"]
        places = [text.index(head) for head in (*heads, "retrieval: sandbox questions, open, search", "Measurements")]
        assert places[:5] == sorted(places[:5])
        worse = text[places[0] : places[1]]
        assert all(name in worse for name in ("recall@5", "nDCG@10", "false findings", "-8.3 points (-8.8 to -7.8)"))
        assert "recall@10 code" in text[places[1] : places[2]]
        assert "findings" in text[places[2] : places[3]]
        assert "answers: sandbox, scripted reader: not measured" in text[places[3] : places[4]]
        assert "stability" in text[places[3] : places[4]]
        assert "5b1f3c20a9e7" in text
        assert "28d0c47be911, of 2026-11-20 09:30 UTC" in text
        assert "3 of 13 metrics" in text


def test_each_metric_has_its_sentence_its_interval_and_its_n() -> None:
    for text in both(*made.runs(())):
        assert "Share of what was told that is no gap. Less is better." in text
        assert "62.7 to 90.5" in text
        assert "Neither way is better." in text
        assert "Right is one document of each group that a question names" in text
        assert "wordllama-l2-supercat-256" in text


def test_without_a_stored_run_nothing_is_compared() -> None:
    now, _ = made.runs(())
    for text in both(now):
        assert "There is no stored run to compare with." in text
        assert "Verdict" not in text
        assert "beyond noise." not in text.partition("Measurements")[0]


def test_a_run_that_is_as_it_was_says_so() -> None:
    one = made.run([measurement()])
    for text in both(one, one):
        assert "Nothing got worse beyond noise." in text


def test_failures_are_counted_by_kind_listed_up_to_a_limit_and_the_rest_is_counted() -> None:
    many = [Failure(f"case {at:03}", "task", f"Gone: number {at % 2}") for at in range(MOST_FAILURES + 7)]
    said = report(made.run([measurement(failures=tuple(many))]), None)
    assert [(kind.error, kind.what, kind.count) for kind in said.kinds] == [("Gone", "task", MOST_FAILURES + 7)]
    assert [one.reason for one in said.sections[0].failed] == ["Gone: number 0", "Gone: number 1"]
    for text in both(made.run([measurement(failures=tuple(many))])):
        assert "case 049" in text
        assert "case 050" not in text
        assert "and 7 more" in text


def test_a_measurement_without_any_number_is_there() -> None:
    failed = Measurement("answers", "sandbox", "not measured", (), {}, (Failure("answers", "task", "OSError: gone"),))
    for text in both(made.run([failed])):
        assert "answers: sandbox, not measured" in text
        assert "No metric has a value." in text
        assert "OSError: gone" in text


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(NAMES, min_size=1, max_size=4, unique=True),
    st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=6),
    st.sampled_from(["share", "score", "ms"]),
)
def test_every_metric_and_every_failure_is_in_both(names, failed, unit) -> None:
    one = measurement(
        metrics=tuple(Metric(name, name, unit=unit) for name in names),
        values={name: {"a": Counted(0.5)} for name in names},
        failures=tuple(Failure(*it) for it in failed),
    )
    for text in both(made.run([one])):
        for word in (*names, *(word for it in failed for word in it)):
            assert solid(one_line(word, NAME)) in solid(text)


# Strangers' words


@pytest.mark.parametrize(
    "text",
    [
        "# head",
        "1. one",
        "12) twelve",
        "- item",
        "+ item",
        "---",
        "===",
        "> quoted",
        "a | b",
        "**bold** _it_ ~~gone~~",
        "`code` ``more``",
        "[a](javascript:b) ![c](d)",
        "<b>x</b> <!-- y -->",
        "&lt; &#60;",
        "$x$ \\ \\| a\\",
        "https://example.com www.example.com",
        "[^1]: note",
    ],
)
def test_words_stay_words_in_markdown(text: str) -> None:
    for page, kind in ((escaped(text), "paragraph_open"), (f"- {escaped(text)}", "bullet_list_open")):
        tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(page)
        assert tokens[0].type == kind
        inline = [token for token in tokens if token.type == "inline"]
        assert len(inline) == 1
        assert {child.type for child in inline[0].children} <= {"text", "text_special"}
        assert "".join(child.content for child in inline[0].children) == text


def test_hostile_words_stay_words(tmp_path: Path) -> None:
    page = write_report(made.hostile(), made.hostile(), tmp_path)
    read = Words(page.read_text("utf-8"))
    assert "script" not in read.tags
    assert "<script>document.title" in read.text
    assert "\u202e" not in page.read_text("utf-8")
    assert "W" * 3_000 not in page.read_text("utf-8")
    markdown = (tmp_path / "report.md").read_text("utf-8")
    assert "\u202e" not in markdown
    kinds = {child.type for token in MarkdownIt("commonmark").parse(markdown) for child in token.children or ()}
    assert "html_inline" not in kinds
    assert "No report draws figures of the kind" in read.text
    for drawing in (tmp_path / "plots").glob("*.svg"):
        tags = {element.tag.rpartition("}")[2] for element in ET.parse(drawing).iter()}
        assert not tags & {"script", "foreignObject", "image", "a"}


# Files


def test_the_page_needs_nothing_else_and_the_markdown_has_its_plots(tmp_path: Path, figures) -> None:
    page = write_report(*made.runs(figures), tmp_path)
    assert page == tmp_path / "index.html"
    html = page.read_text("utf-8")
    assert "http" not in html.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert html.count("<img") == html.count('src="data:image/') == 10
    drawings = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert drawings == [
        "01-1-1-shares.svg",
        "01-2-1-recall.svg",
        "01-3-1-flow.svg",
        "01-4-1-map.png",
        "02-1-1-shares.svg",
        "03-1-1-wins.svg",
        "03-2-1-agreement.svg",
        "03-2-2-gains.svg",
        "03-3-1-score.svg",
        "03-3-2-tokens.svg",
        "04-1-1-latency.svg",
    ]
    markdown = (tmp_path / "report.md").read_text("utf-8")
    assert all(f"](plots/{name})" in markdown for name in drawings)
    for path in (tmp_path / "plots").glob("*.svg"):
        assert ET.parse(path).getroot().get("viewBox")


def test_the_same_run_makes_the_same_bytes(tmp_path: Path, figures) -> None:
    for name in ("one", "other"):
        write_report(*made.runs(figures), tmp_path / name)
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert len(files) == 13
    assert [(tmp_path / "one" / it).read_bytes() for it in files] == [
        (tmp_path / "other" / it).read_bytes() for it in files
    ]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(EvalError, match="taken"):
        write_report(made.run([measurement()]), None, tmp_path / "taken")


def test_without_the_library_the_tables_are_there_and_the_extra_is_named(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from pathlib import Path\n"
        "from tests.evals.report import made\n"
        "from evals.report.write import write_report\n"
        f"write_report(*made.runs(made.hostile().measurements[0].figures), Path({str(tmp_path)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = Words((tmp_path / "index.html").read_text("utf-8"))
    assert "crosscheck[map]" in page.text
    assert "img" not in page.tags
    assert "booking-api-BKG-91" in page.text
    assert [path.suffix for path in (tmp_path / "plots").iterdir()] == [".svg"]  # the flow needs no library


# Figures


def test_a_figure_that_cannot_be_drawn_is_a_sentence() -> None:
    broken = (Figure("wins", "Wins", {"tickets": [{"ticket": "a"}]}), Figure("cloud", "Cloud", {}))
    text, _ = both(made.run([measurement(figures=broken)]))
    assert "The figure 'Wins' is no 'wins': tickets.0.title: Field required." in text
    assert "No report draws figures of the kind 'cloud'. There are: wins, judges, arms, latency, flow, map." in text


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(EvalError, match="finite"):
        held(Figure("wins", "W", {"tickets": [{"ticket": "", "title": "", "baseline": float("nan"), "crosscheck": 1}]}))


def test_of_many_tickets_both_ends_are_drawn_and_the_table_has_all() -> None:
    tickets = [
        {"ticket": f"T-{at:03}", "title": "x", "baseline": 0.5, "crosscheck": 1 - at / 100}
        for at in range(MOST_TICKETS + 10)
    ]
    said = report(made.run([measurement(figures=(Figure("wins", "Wins", {"tickets": tickets}),))]), None)
    picture = said.sections[0].pictures[-1]
    drawn = picture.drawings[0].image.decode()
    assert all(name in drawn for name in ("T-000", "T-019", "T-030", "T-049"))
    assert "T-020" not in drawn
    assert picture.sentences == ("Drawn are the 20 first and the 20 last of 50 tickets.",)
    assert len(picture.tables[0].rows) == 50


@pytest.mark.parametrize(
    "figure",
    [
        Figure("wins", "Wins", {"tickets": []}),
        Figure("arms", "Arms", {"arms": [], "gain": None, "price": [], "price_said": ""}),
        Figure("judges", "Judges", {"alpha": None, "pairs": [], "gains": [], "shown_first": None}),
        Figure("latency", "Latency", {"first_s": 0, "per_second": 0, "paths": []}),
        Figure("flow", "Flow", {"question": "?", "trace": {"candidates": []}}),
    ],
)
def test_figures_that_hold_nothing_are_there(figure) -> None:
    text, _ = both(made.run([measurement(figures=(figure,))]))
    assert figure.title in text


def test_what_a_plot_says_to_who_cannot_see_it(figures) -> None:
    said = report(*made.runs(figures))
    told = {
        drawing.kind: drawing.alternative for one in said.sections for it in one.pictures for drawing in it.drawings
    }
    assert "false findings: 23.0 % (18.7 to 27.8), before 12.3 %" in told["shares"]
    assert "all sources: 5: 53.0 %" in told["recall"]
    assert "booking-api-BKG-91: title Refunds are held for 11 days, baseline 0.183, crosscheck 0.634" in told["wins"]
    assert "review, model: own 420.0 ms, budget of own 400.0 ms" in told["latency"]
    assert "judge A and judge B say the same: value, 95 % 84.0 %" in told["agreement"]
    assert "5 sources" in told["map"]


def test_a_search_and_its_index_become_figures(figures) -> None:
    flow, drawn = figures
    assert json.loads(json.dumps(flow.data)) == flow.data
    assert flow.data["question"] == made.QUESTION
    assert sum(one["fate"].startswith("result ") for one in flow.data["trace"]["candidates"]) == 10
    assert len(drawn.data["drawn"]["points"]) == drawn.data["drawn"]["total"] > 300
    assert sum(bool(point["hit"]) for point in drawn.data["drawn"]["points"]) == 10


# The command


def command(*words: str) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        main(["eval", "report", *words])
    return ended.value.code


def test_stored_runs_become_one_report(tmp_path: Path, capsys) -> None:
    now, then = made.runs(())
    parts = [replace(now, measurements=now.measurements[:1]), replace(now, measurements=now.measurements[1:])]
    kept = [str(stored.write(one, tmp_path, name)) for one, name in zip(parts, ("one", "other"), strict=True)]
    before = str(stored.write(then, tmp_path, "before"))
    assert command(*kept, "--before", before, "--out", str(tmp_path / "out")) == 0
    assert str(tmp_path / "out" / "index.html") in capsys.readouterr().out
    text = Words((tmp_path / "out" / "index.html").read_text("utf-8")).text
    assert "3 of 13 metrics got worse beyond noise." in text
    assert "This run has no figures of its own." in text


def test_what_two_runs_measured_is_refused() -> None:
    one = made.run([measurement()])
    with pytest.raises(EvalError, match="reviews: s, w"):
        together([one, one])


def test_what_is_no_run_is_refused_with_a_sentence(tmp_path: Path, capsys) -> None:
    (tmp_path / "run.json").write_text("{}")
    assert command(str(tmp_path / "run.json"), "--out", str(tmp_path / "out")) == 1
    assert "is no stored run" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
