"""What Confluence's two surfaces have in common: comments on pages, in the sandbox's own state."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, ClassVar, Literal
from xml.sax.saxutils import escape

from bots.confluence.marker import found_in
from crosscheck.settings_sources import Confluence
from crosscheck.wiring import Program
from sandbox.confluence_talk import Note
from sandbox.storage import Element, parse
from tests.surfaces.company import DEVELOPER, GROUP, LEAD, page
from tests.surfaces.contract import Asked, Kind, Reply, Surface
from tests.surfaces.jira_base import comment_text, pushed
from tests.surfaces.receiver import Delivery

BLOCKS = frozenset({"p", "li", "td", "th", "tr", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "br"})
PLAIN = BLOCKS | {"body", "ul", "ol", "table", "tbody", "strong", "code"}
"""Elements that do nothing."""
MARKED = "At most 20 reports"
QUOTES = {'"': "&quot;"}
NOT_XML = {*range(0x20), 0xFFFE, 0xFFFF} - {0x9, 0xA, 0xD}


class ConfluenceSurface(Surface):
    site: ClassVar[str]
    """The name of the sandbox's address."""
    restricted_above: ClassVar[bool]
    """Whether a page is kept for the few by what stands above it, or by its own restriction."""
    hook: ClassVar[Literal["automation", "data-center"]]
    limit = 32_767
    """As if Confluence had the limit that Jira has: none is documented."""
    shapes = ("footer", "inline")

    def start(self) -> None:
        self.wiki = self.box.confluence
        self.wiki.longest_comment = self.limit
        self._numbers = count(1000)
        self._inline: set[str] = set()
        self._few: dict[str, str] = {}
        self.box.confluence_webhooks.shape = self.hook
        self.box.confluence_webhooks.deliver_to(self.receiver.url)

    def own_settings(self) -> Mapping[str, Any]:
        return {
            "confluence": Confluence(site=getattr(self.box, self.site), spaces=("DOC",), answers=True, **self.users())
        }

    def users(self) -> dict[str, str]:
        return {}

    def prepare(self, program: Program) -> None:
        super().prepare(program)
        program.floor("confluence")

    def poll(self, program: Program) -> None:
        program.pollers["confluence"].poller.poll_once()

    def push(self, program: Program, delivery: Delivery) -> int:
        return pushed("confluence", program, delivery)

    def sent(self) -> list[Delivery]:
        assert self.box.confluence_webhooks.wait()
        return self.receiver.take()

    def open(self, *said: str, few: bool = False, shape: str = "footer", title: str = "") -> str:
        name = title or f"Page {next(self._numbers)}"
        number, above = self._page(name, few=few and not self.restricted_above), None
        if few:
            above = self._page(f"Above {number}", few=True) if self.restricted_above else number
            self._few[number] = above
        if above != number:
            self.wiki.move(number, parent=above)
        if shape == "inline":
            self._inline.add(number)
        for text in said:
            self._say(number, text)
        return number

    def _page(self, title: str, *, few: bool) -> str:
        number = str(next(self._numbers))
        self.wiki.add_page(page(number, title, groups=(GROUP,) if few else ()))
        return number

    def _say(self, place: str, text: str, *, marked: str | None = None) -> str:
        author = LEAD.id if place in self._few else DEVELOPER.id
        return self.wiki.notes.add(place, "", author, marked=marked, storage=stored(text))

    def spelled(self, place: str, kind: Kind, text: str) -> str:
        return comment_text(kind, text)

    def say(self, place: str, text: str) -> str:
        return self._say(place, text, marked=MARKED if place in self._inline else None)

    def hide(self, place: str, text: str) -> tuple[str, ...]:
        number = self._page(f"Beside {place}", few=True)
        self.wiki.edit(number, text)
        return (f"confluence:{number}",)

    def widen(self, asked: Asked, opening: str) -> None:
        self.wiki.restrict(self._few[asked.place])

    def narrow(self, asked: Asked) -> None:
        self.wiki.restrict(asked.place, groups=(GROUP,))

    def mute(self, asked: Asked) -> None:
        self.wiki.silence("DOC", self.box.accounts.bot.id)

    def calm(self) -> None:
        super().calm()
        self.wiki.allow("DOC", self.box.accounts.bot.id)

    def delete(self, asked: Asked) -> None:
        self.wiki.notes.remove(asked.id)

    def rewrite(self, asked: Asked, text: str) -> None:
        self.wiki.notes.edit(asked.id, "", storage=stored(text))

    def end(self, asked: Asked) -> str:
        if asked.place in self._inline:
            self.wiki.notes.resolve(asked.id)
            return "resolved"
        self.archive(asked.place)
        return "archived"

    def archive(self, place: str) -> None:
        self.wiki.set_status(place, "archived")

    def replies(self, place: str) -> list[Reply]:
        bot = self.box.accounts.bot.id
        return [reply_of(note) for note in self.wiki.notes if note.page == place and note.author == bot]

    def readers(self, asked: Asked, message: str) -> frozenset[str]:
        note = self.wiki.notes.get(message)
        assert note is not None
        sheet = self.wiki.pages[note.page]
        return frozenset(one.id for one in self.box.accounts.people.values() if self.wiki.sees(one, sheet))

    def where(self, asked: Asked, message: str) -> Any:
        note = self.wiki.notes.get(message)
        assert note is not None
        return note.page, note.inline, self.wiki.notes.first(note).id


def stored(text: str) -> str:
    """In storage format, as far as XML can hold it."""
    shown = text.translate(dict.fromkeys(NOT_XML, " "))
    return f"<p>{'<br/>'.join(escape(shown, QUOTES).split(chr(10)))}</p>"


def reply_of(note: Note) -> Reply:
    storage = note.versions[-1].storage
    assert storage is not None
    assert found_in(storage) is not None, "it can be found again"
    tree = parse(storage)
    return Reply(note.id, shown(tree), len(storage), tuple(active(tree)))


def shown(node: Element | str) -> str:
    if isinstance(node, str):
        return node
    if node.name == "ac:parameter":
        return ""
    return "".join(map(shown, node.children)) + ("\n" if node.name in BLOCKS else "")


def active(node: Element) -> Iterator[str]:
    """The first anchor is the marker, by which the bot knows its answer."""
    anchors = 0
    for one in elements(node):
        if one.name == "a":
            yield f"link {one.attributes.get('href')}"
        elif one.name == "ac:structured-macro":
            anchors += 1
            if one.attributes != {"ac:name": "anchor"} or anchors > 1:
                yield f"macro {one.attributes.get('ac:name')}"
        elif one.name not in PLAIN | {"ac:parameter"}:
            yield one.name


def elements(node: Element) -> Iterator[Element]:
    yield node
    for child in node.children:
        if isinstance(child, Element):
            yield from elements(child)
