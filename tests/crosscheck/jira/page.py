"""The table in docs/jira.md. `python -m tests.crosscheck.jira.page` writes it anew."""

from itertools import groupby
from pathlib import Path

from tests.crosscheck.jira.situations import PARTS, Situation, Words
from tests.pages import rewrite

PAGE = Path(__file__).parents[3] / "docs" / "jira.md"
BEGIN, END = "<!-- situations: begin -->\n", "<!-- situations: end -->\n"
EXAMPLES = {
    "{key}": "PAY-12",
    "{now}": "WEB-3",
    "{twin}": "PAY-13",
    "{id}": "10207",
    "{number}": "10012",
    "{groups}": "Browse users and groups",
}


def table() -> str:
    head = "| situation | what people see |\n| --- | --- |\n"
    return head + "".join(
        f"| **{part}** | |\n" + "".join(f"| {_name(one)} | {_seen(one)} |\n" for one in situations)
        for part, situations in PARTS.items()
    )


def _name(one: Situation) -> str:
    return one.name if len(one.on) > 1 else f"{one.name} ({one.on[0]})"


def _seen(one: Situation) -> str:
    return _filled("")


def _filled(text: str) -> str:
    for name, example in EXAMPLES.items():
        text = text.replace(name, example)
    return text
