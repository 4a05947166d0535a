"""The table in docs/slack.md. `python -m tests.crosscheck.slack.page` writes it anew."""

from itertools import groupby
from pathlib import Path

from tests.crosscheck.slack.situations import GOES_ON, PARTS, Situation, Words
from tests.pages import rewrite

PAGE = Path(__file__).parents[3] / "docs" / "slack.md"
BEGIN, END = "<!-- situations: begin -->\n", "<!-- situations: end -->\n"


def table() -> str:
    head = "| situation | what people see |\n| --- | --- |\n"
    return head + "".join(
        f"| **{part}** | |\n" + "".join(f"| {one.name} | {_seen(one)} |\n" for one in situations)
        for part, situations in PARTS.items()
    )


def _seen(one: Situation) -> str:
    alone = [f"To the person alone: {_words(words)}" for words in one.alone]
    every = [*(_words(words) for words in one.everybody if words is not GOES_ON), *alone]
    seen = [f"{text} ({count} times)" if count > 1 else text for text, count in _counted(every)]
    record = f" The list of jobs says: “{one.record.replace('#NAME', '#channel')}”." if one.record else ""
    return ("<br>".join(seen) or "Nothing.") + record


def _counted(texts: list[str]) -> list[tuple[str, int]]:
    return [(text, len(list(same))) for text, same in groupby(texts)]


def _words(words: Words) -> str:
    return "“" + " ".join(words.split()) + "”" if isinstance(words, str) else words.told


if __name__ == "__main__":
    rewrite(PAGE, BEGIN, END, table())
