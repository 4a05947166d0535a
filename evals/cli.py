"""`crosscheck eval`: quality, measured with what is installed."""

import typer

from evals.accuracy.command import accuracy
from evals.grown.command import grow
from evals.outcomes.command import outcomes
from evals.paths.command import latency
from evals.planted.command import reviews
from evals.questions.command import answers
from evals.report.command import report
from evals.retrieval.command import retrieval
from evals.suite import run_all

eval_app = typer.Typer(
    help="Measure quality: on sets with known answers, and on your own tickets.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@eval_app.callback()
def _root() -> None:
    """A group of commands."""


eval_app.command("all")(run_all)
eval_app.command("reviews")(reviews)
eval_app.command("outcomes")(outcomes)
eval_app.command("retrieval")(retrieval)
eval_app.command("grow")(grow)
eval_app.command("answers")(answers)
eval_app.command("latency")(latency)
eval_app.command("accuracy")(accuracy)
eval_app.command("report")(report)
