"""The table in docs/confluence.md. `python -m tests.crosscheck.confluence.page` writes it anew."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from tests.crosscheck.confluence.situation import Situation, Words
from tests.crosscheck.confluence.situations import PARTS
from tests.pages import rewrite

PAGE = Path(__file__).parents[3] / "docs" / "confluence.md"
BEGIN, END = "<!-- situations: begin -->\n", "<!-- situations: end -->\n"
HELD = "held"


def table() -> str:
    head = "| situation | what people see |\n| --- | --- |\n"
    return head + "".join(
        f"| **{part}** | |\n" + "".join(f"| {one.name} | {_seen(one)} |\n" for one in situations)
        for part, situations in PARTS.items()
    )


def _seen(one: Situation) -> str:
    seen = [f"{text} ({count} times)" if count > 1 else text for text, count in _counted(map(_words, one.seen))]
    if one.record == HELD:
        return "Nothing; `crosscheck jobs show` has the reply."
    record = f" The list of jobs says: “{one.record}”." if one.record else ""
    return ("<br>".join(seen) or "Nothing.") + record


def _counted(texts: Iterable[str]) -> list[tuple[str, int]]:
    return [(text, len(list(same))) for text, same in groupby(texts)]


def _words(words: Words) -> str:
    return "“" + " ".join(words.split()) + "”" if isinstance(words, str) else words.told


if __name__ == "__main__":
    rewrite(PAGE, BEGIN, END, table())
