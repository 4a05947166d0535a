"""Fits an answer into its budget of tokens."""

from collections.abc import Callable
from dataclasses import dataclass

from crosscheck.mcp.budget import LINK, tokens
from crosscheck.mcp.quoting import DATA, address, inline, quoted, sentence

_LEAST = 60
"""Characters that a quote is cut at when nothing else makes room."""
_NOTE = 200  # characters
FOR_CURSOR = 90
"""Tokens of the line that holds it."""


@dataclass(frozen=True, slots=True)
class Link:
    """Opens at the place."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of an answer. `head` and `tail` are the server's lines, `quote` is a source's text as it is."""

    head: str
    quote: str = ""
    tail: str = ""
    links: tuple[Link, ...] = ()
    excerpt: bool = False
    """Of the quote a line is enough, and that there is more goes without saying."""
    about: str = ""
    """What was asked: of a long quote the part that is about it is shown."""

    def text(self, number: int, size: int) -> str:
        parts = [f"[{number}] {self.head}"]
        if self.quote:
            parts.append(f"> {inline(self.quote, size)}" if self.excerpt else quoted(self.quote, size, self.about))
        if self.tail:
            parts.append(self.tail)
        return "\n".join(parts)

    def linked(self, number: int) -> list[Link]:
        """Its links, named by its number; without those that cannot be opened on the web, each once."""
        urls = dict.fromkeys(filter(None, (address(link.url) for link in self.links)))
        names = {link.url: link.name for link in reversed(self.links)}
        return [Link(f"[{number}] {sentence(names[url], 40)}".strip(), url) for url in urls]


More = Callable[[int, str], str]
"""The line that says how to go on, by how many are done and what is left (`4 of 10`)."""


@dataclass(frozen=True, slots=True)
class Page:
    """What is said at once."""

    text: str
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A list of things. `intro` and `notes` are sentences of the server's, said on the first page only."""

    intro: str
    items: tuple[Item, ...] = ()
    notes: tuple[str, ...] = ()
    sizes: tuple[int, ...] = (1_000, 600, 350, 200)
    """Characters that quotes are cut at, falling: the first at which all items fit, or else the last."""
    first: int = 0
    """Items of the beginning whose quotes may be twice as long."""

    def before(self, position: int) -> str:
        """Stands for all that is said before it."""
        return "\n".join(item.head for item in self.items[:position])

    def page(self, start: int, budget: int, more: More) -> Page:
        """The items from `start` on that fit, and at least one, however small its quote has to be."""
        before, after = _frame(self, start, budget)
        room = budget - tokens(before) - tokens(after) - 2
        blocks, links = _fit(self, start, room)
        done, total = start + len(blocks), len(self.items)
        rest = more(done, f"{done} of {total}") if done < total else ""
        return Page("\n".join(part for part in (before, *blocks, after, rest) if part), tuple(links))


def _frame(answer: Answer, start: int, budget: int) -> tuple[str, str]:
    """What stands around the items. Notes take a quarter of the budget at most."""
    if start:
        return DATA, ""
    notes: list[str] = []
    for note in answer.notes:
        line = f"- {sentence(note, _NOTE)}"
        budget -= 4 * tokens(line)
        if budget < 0:
            notes.append(f"- and {len(answer.notes) - len(notes)} more such notes")
            break
        notes.append(line)
    before = "\n".join(part for part in (answer.intro, DATA if answer.items else "") if part)
    return before, "\n".join(["Notes:", *notes]) if notes else ""


def _fit(answer: Answer, start: int, room: int) -> tuple[list[str], list[Link]]:
    """The items from `start` on, or as many as there is room for beside a cursor."""
    for size in answer.sizes:
        blocks, links = _packed(answer, start, room, size)
        if start + len(blocks) == len(answer.items):
            return blocks, links
    room, size = room - FOR_CURSOR, answer.sizes[-1]
    while size > _LEAST:
        blocks, links = _packed(answer, start, room, size)
        if blocks:
            return blocks, links
        size //= 2
    return [answer.items[start].text(start + 1, _LEAST)], []


def _packed(answer: Answer, start: int, room: int, size: int) -> tuple[list[str], list[Link]]:
    blocks: list[str] = []
    links: list[Link] = []
    for number, item in enumerate(answer.items[start:], start + 1):
        text, own = item.text(number, size * 2 if number <= answer.first else size), item.linked(number)
        room -= tokens(text) + 1 + sum(tokens(link.name) + tokens(link.url) + LINK for link in own)
        if room < 0:
            break
        blocks.append(text)
        links += own
    return blocks, links
