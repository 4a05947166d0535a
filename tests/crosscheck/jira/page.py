"""The table in docs/jira.md. `python -m tests.crosscheck.jira.page` writes it anew."""

from pathlib import Path

from tests.crosscheck.jira.saying import GOES_ON, Situation, Words
from tests.crosscheck.jira.situations import PARTS
from tests.pages import rewrite

PAGE = Path(__file__).parents[3] / "docs" / "jira.md"
BEGIN, END = "<!-- situations: begin -->\n", "<!-- situations: end -->\n"
EXAMPLES = {
    "key": "PAY-12",
    "now": "WEB-3",
    "twin": "PAY-13",
    "id": "10207",
    "number": "10012",
    "groups": "Browse users and groups",
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
    told = [_words(words) for words in one.comments if words is not GOES_ON] or ["Nothing."]
    if one.audience:
        told.append(_for(one.audience))
    if one.files:
        told.append(f"At the ticket then: {', '.join(f'`{name}`' for name in one.files)}.")
    if one.record:
        told.append(f"The list of jobs says: “{one.record.rstrip('.')}”.")
    return _filled("<br>".join(told))


def _for(audience: str) -> str:
    """Who sees it, as a sentence."""
    limited = audience.removesuffix("internal").rstrip(", ")
    kind = "It is an internal note" if audience.endswith("internal") else "It is a comment"
    return f"{kind} for the {limited}." if limited else f"{kind}."


def _words(words: Words) -> str:
    return f"“{words}”" if isinstance(words, str) else words.told


def _filled(text: str) -> str:
    for name, example in EXAMPLES.items():
        text = text.replace(f"{{{name}}}", example)
    return text


if __name__ == "__main__":
    rewrite(PAGE, BEGIN, END, table())
