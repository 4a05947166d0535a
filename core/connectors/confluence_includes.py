"""Pages that show other pages' text, by the include macros."""

from collections.abc import Callable, Collection, Iterator

from core.connectors.confluence_records import Page, Space
from core.errors import SourceError, SourceUnavailable
from core.parsing.parsed import Parsed
from core.parsing.storage import Include, Names, Storage, not_shown

_DEEPEST = 4  # includes within includes
_MOST = 100  # includes shown in one page
MOST_BELOW = 1_000
"""Pages whose text may stand in one; more are not looked at."""
_LONGEST = 200_000  # characters of one page that come from others


class Bodies:
    """Pages with their bodies, and what each of them includes. Each is read once."""

    def __init__(
        self,
        spaces: Callable[[str, str], Space | None],
        find: Callable[[Space, str], Page | None],
        read: Callable[[str], Page | None],
    ) -> None:
        """`spaces` gives a space by the including page's space id and the key that the macro names, if any; `find` a
        page by its title; `read` a page with its body.
        """
        self._spaces = spaces
        self._find = find
        self._read = read
        self._known: dict[str, tuple[Page, Storage] | None] = {}
        self._targets: dict[tuple[str, Include], str | None] = {}
        self._closed = False

    def close(self) -> None:
        """Read no more: from now on it is asked who may read what was."""
        self._closed = True

    def add(self, page: Page) -> Storage:
        """A page that was read anyway."""
        body = Storage(page.body)
        self._known[page.id] = page, body
        return body

    def texts(self) -> list[Storage]:
        """All bodies that were read."""
        return [known[1] for known in self._known.values() if known]

    def of(self, page: Page, include: Include) -> tuple[Page, Storage] | None:
        """What an include points at; None when that is not there."""
        target = self.target(page, include)
        return None if target is None else self._at(target)

    def target(self, page: Page, include: Include) -> str | None:
        """The id of the page that an include points at, which need not be readable."""
        place = page.space, Include(include.space, include.title)
        if place not in self._targets and not self._closed:
            self._targets[place] = self._looked_up(page.space, include)
        return self._targets.get(place)

    def _at(self, target: str) -> tuple[Page, Storage] | None:
        if target not in self._known:
            if self._closed:
                return None
            found = self._read(target)
            self._known[target] = None if found is None else (found, Storage(found.body))
        return self._known[target]

    def _looked_up(self, space_id: str, include: Include) -> str | None:
        space = self._spaces(space_id, include.space)
        found = self._find(space, include.title) if space and include.title else None
        return found.id if found else None

    def below(self, page: Page, body: Storage, without: Collection[str] = ()) -> Iterator[Page]:
        """The pages whose text may stand in this one, each once, up to MOST_BELOW and a few. What is `without` is not
        even read.
        """
        seen = {page.id, *without}
        ahead = [(page, body)]
        while ahead and len(seen) <= MOST_BELOW:
            at, text = ahead.pop()
            for include in text.includes():
                target = self.target(at, include)
                if target is None or target in seen:
                    continue
                seen.add(target)
                if found := self._at(target):
                    ahead.append(found)
                    yield found[0]


class Rendering:
    """One page's text, with what it includes of other pages.

    An included page is shown only to those who may read it anyway: where its labels are among the page's own.
    """

    def __init__(
        self,
        bodies: Bodies,
        labels: Callable[[Page], frozenset[str]],
        names: Names,
        allowed: frozenset[str],
    ) -> None:
        self._bodies = bodies
        self._labels = labels
        self._names = names
        self._allowed = allowed
        self._left = _MOST
        self._room = _LONGEST
        self._unread: list[str] = []
        self.hidden: set[str] = set()
        """Ids of included pages that are not shown."""
        self.complete = True
        """Whether all that the page includes is shown. What is hidden and what is not there count alike."""

    def read(self, page: Page, body: Storage) -> Parsed:
        """Raises SourceUnavailable when it cannot be asked who may read an included page."""
        parsed = body.read(self._names, lambda include: self._included(page, include, (page.id,)))
        return Parsed(parsed.text, unread=(*parsed.unread, *dict.fromkeys(self._unread)))

    def _included(self, page: Page, include: Include, path: tuple[str, ...]) -> str:
        found = self._bodies.of(page, include)
        if found is None:
            if unread := self._bodies.target(page, include):
                self.hidden.add(unread)
            return self._not_shown(include)
        target, body = found
        if not self._may_show(target):
            self.hidden.add(target.id)
            return self._not_shown(include)
        if target.id in path:
            return f"[include: {include.title}, cut here: it includes itself]"
        self._left -= 1
        if len(path) > _DEEPEST or self._left < 0 or self._room <= 0:
            return self._cut(include, "")
        return self._shown(target, body, include, (*path, target.id))

    def _not_shown(self, include: Include) -> str:
        self.complete = False
        return not_shown(include)

    def _may_show(self, target: Page) -> bool:
        try:
            return self._labels(target) <= self._allowed
        except SourceUnavailable:
            raise
        except SourceError:
            return False

    def _shown(self, target: Page, body: Storage, include: Include, path: tuple[str, ...]) -> str:
        def inner(further: Include) -> str:
            return self._included(target, further, path)

        whole = include.excerpt is None
        parsed = body.read(self._names, inner) if whole else body.excerpt(include.excerpt or "", self._names, inner)
        if parsed is None:
            return f"[include: {include.title} has no such excerpt]"
        self._unread += parsed.unread
        if len(parsed.text) > self._room:
            text, self._room = parsed.text[: self._room], 0
            return self._cut(include, text)
        self._room -= len(parsed.text)
        return parsed.text

    def _cut(self, include: Include, text: str) -> str:
        self._unread.append(f"included text: {include.title}")
        mark = f"[include: {include.title}, {'the rest ' if text else ''}not read]"
        return f"{text}\n\n{mark}" if text else mark
