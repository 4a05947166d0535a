"""The pages of a report from their templates. Everything is escaped for where it goes."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup

from crosscheck.console.flow_chart import Chart
from evals.report.content import Report
from evals.report.markdown import escaped
from evals.report.pictures import Drawing

_ALONE = "svg.flow{min-width:0;font-family:system-ui,sans-serif;background:var(--ground)}"  # what a page would give it


@dataclass(frozen=True, slots=True)
class Kept:
    """A drawing in a file beside the Markdown."""

    path: str
    """From the page's folder."""
    alternative: str


def html(report: Report) -> str:
    """A page that needs nothing else. It has no script, and asks for nothing."""
    style = "\n".join((_console("style.css"), _console("flow.css"), _own("report.css")))
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    whole = Markup(style)  # noqa: S704  files of ours
    return _templates().get_template("report.html").render(report=report, policy=policy, style=whole)


def markdown(report: Report, drawings: Mapping[tuple[int, int], Sequence[Kept]]) -> str:
    """The same in Markdown. `drawings` are those of a picture, by the numbers of its section and of itself."""
    return _templates().get_template("report.md").render(report=report, files=drawings)


def flow(chart: Chart) -> str:
    """The console's drawing of a search as an SVG of its own."""
    style = "\n".join((_console("style.css"), _console("flow.css"), _ALONE))
    return _templates().get_template("flow.svg").render(chart=chart, style=style)


@cache
def _templates() -> Environment:
    """What Markdown's own filter does not escape, HTML's escaping does."""
    console = PrefixLoader({"console": PackageLoader("crosscheck.console")})
    made = Environment(
        loader=ChoiceLoader([PackageLoader("evals.report"), console]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"md": _words, "address": _address}
    return made


def _words(text: object) -> Markup:
    return Markup(escaped(text))  # noqa: S704  escaped for Markdown, where entities would be shown as they are


def _address(drawing: Drawing) -> str:
    return f"data:{drawing.media};base64,{b64encode(drawing.image).decode()}"


def _console(name: str) -> str:
    return (files("crosscheck.console") / "static" / name).read_text("utf-8")


def _own(name: str) -> str:
    return (files("evals.report") / "templates" / name).read_text("utf-8")
