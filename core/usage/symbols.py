"""Uses of what code defines: `hold`, `Booking.hold`, `pkg::Type#method`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.keys import looks_like_code
from core.store.base import Passage
from core.tokens import WORDLIKE
from core.usage.declared import ITSELF, receiver_of, types_of
from core.usage.sought import Sighting, Trail
from core.usage.spelling import bare, holds_as_word, standing, words
from core.usage.types import Confidence
from core.usage.view import View

_SEPARATOR = re.compile(r"\.|::|->|#|/")
_IMPORTING = frozenset({"python", "javascript", "typescript"})
"""Languages in which a file imports by its name whatever it uses of another without naming an owner."""
_IN_A_LINE = 10
"""Places in one line that are looked at."""
_SHORTEST = 3
"""Characters of a name that is looked for by text: what is shorter is a word of its own in every file."""

Verdict = tuple[Confidence, str]


def parts_of(name: str) -> tuple[str, str]:
    """What owns a name, if that is told, and the name alone."""
    parts = [part for part in _SEPARATOR.split(name.strip().removesuffix("()")) if words(part)]
    return (parts[-2] if len(parts) > 1 else "", parts[-1] if parts else "")


@dataclass(frozen=True, slots=True)
class Definitions:
    """Where a name is defined: what is meant, and what is called the same."""

    owner: str
    name: str
    meant: tuple[Passage, ...]
    others: tuple[Passage, ...]

    @classmethod
    def of(cls, owner: str, name: str, passages: Sequence[Passage]) -> "Definitions":
        """Those of `passages`, which all define the name, that are its owner's; all of them if none is told."""
        if not owner:
            return cls(owner, name, tuple(passages), ())
        exact = [one for one in passages if f"{owner}.{name}" in one.symbols]
        meant = exact or [one for one in passages if bare(owner) in _around(one)]
        return cls(owner, name, tuple(meant), tuple(one for one in passages if one not in meant))

    @property
    def homes(self) -> frozenset[str]:
        """The repositories that define what is meant."""
        return frozenset(one.repo for one in self.meant if one.repo)

    @property
    def owners(self) -> frozenset[str]:
        """The types that own what is meant, as `bare` writes them."""
        if self.owner:
            return frozenset({bare(self.owner)})
        return frozenset(bare(one) for one in _owners(self.meant, self.name))

    @property
    def strangers(self) -> frozenset[str]:
        """The types that have something else by this name."""
        passages = (*self.others, *self.meant)
        return frozenset(bare(one) for one in _owners(passages, self.name)) - self.owners

    def foreign_to(self, repo: str) -> bool:
        """Whether a repository has its own definition of this name, and not the one that is meant."""
        return repo not in self.homes and any(one.repo == repo for one in self.others)


def _owners(passages: Sequence[Passage], name: str) -> set[str]:
    ending = f".{name}"
    return {symbol.removesuffix(ending) for one in passages for symbol in one.symbols if symbol.endswith(ending)}


def _around(passage: Passage) -> set[str]:
    """The names that a definition stands in: of folders, files, classes and functions."""
    place = passage.context.partition("\n")[0]
    return {bare(word) for word in re.findall(rf"[{WORDLIKE}]+", f"{place} {' '.join(passage.symbols)}")}


class SymbolSought:
    """See `core.usage.sought.Sought`."""

    def __init__(self, definitions: Definitions) -> None:
        self._known = definitions
        self._name = definitions.name
        self._owner = definitions.owner
        self._owners, self._strangers, self._homes = definitions.owners, definitions.strangers, definitions.homes
        self._word = re.compile(standing(re.escape(self._name)))
        self._documents = frozenset(one.document_id for one in definitions.meant)
        self._one = bool(definitions.meant) and (bool(definitions.owner) or len(self._documents) == 1)
        self._member = bool(definitions.meant) and all(_owners([one], self._name) for one in definitions.meant)
        self._telling = looks_like_code(self._name) and len(words(self._name)) > 1
        # In text, a plain word is the name only after what owns it, or before the brackets of a call.
        owner = rf"\b{re.escape(self._owner)}(?:\.|::|->|#|:)" if self._owner else r"[\w\])](?:\.|::|->|#|:)"
        self._written = re.compile(
            rf"(?P<owned>{owner})?(?<![{WORDLIKE}$]){re.escape(self._name)}(?![{WORDLIKE}])(?P<call>\()?"
        )

    @property
    def trail(self) -> Trail:
        by_text = len(self._name) >= _SHORTEST
        return Trail((self._name,), (self._name,), wholes=(self._name,) if by_text else ())

    def may_be_in(self, text: str) -> bool:
        return self._word.search(text) is not None

    def sightings(self, view: View) -> Iterator[Sighting]:
        if view.prose:
            yield from self._in_documentation(view)
            return
        foreign = self._known.foreign_to(view.repo) and not holds_as_word(view.surroundings, self._owner)
        for row, line in enumerate(view.naked):
            match = self._word.search(line)
            if match and view.reading is not None:
                if self._name in view.defined(row):
                    yield from self._definition(view, row)
                elif view.is_import(row):
                    if not foreign and view.imports(row, self._name):
                        yield Sighting(row, *self._imported(view), how="syntax", role="imports")
                elif not foreign and (verdict := self._any_used(view, row, line)):
                    yield Sighting(row, *verdict, how="syntax" if view.uses(row, self._name) else "text")
            elif not foreign and (verdict := self._written_in(view, view.bare[row])):
                yield Sighting(row, *verdict)

    def _definition(self, view: View, row: int) -> Iterator[Sighting]:
        if view.passage.document_id not in self._documents:
            return
        owners = {bare(one) for one in view.owners(row)[:1]}
        if self._owner and owners & self._strangers:
            return
        yield Sighting(row, "sure", "It is defined here.", "syntax", "defines")

    def _imported(self, view: View) -> Verdict:
        if self._known.meant and (view.repo in self._homes or self._telling):
            return "sure", "It is imported by its name here."
        return "likely", "A name like it is imported here."

    def _any_used(self, view: View, row: int, line: str) -> Verdict | None:
        """What the first place in a line says that means what was asked for."""
        matches = islice(self._word.finditer(line), _IN_A_LINE)
        return next(filter(None, (self._used(view, row, line, match) for match in matches)), None)

    def _used(self, view: View, row: int, line: str, match: re.Match[str]) -> Verdict | None:
        """How sure a name in code means what was asked for; None if it means something else."""
        receiver = receiver_of(line[: match.start()])
        if not receiver:
            verdict = self._without_receiver(view, row)
        elif receiver in ITSELF:
            verdict = self._of_itself(view, row)
        else:
            verdict = self._of(receiver, view)
        if verdict and verdict[0] == "sure" and not self._one:
            return "likely", verdict[1]
        return verdict

    def _of_itself(self, view: View, row: int) -> Verdict | None:
        around = [bare(one) for one in view.owners(row)]
        mine = next((one for one in around if one in self._owners), None)
        other = next((one for one in around if one in self._strangers), None)
        if mine:
            return "sure", f"It is called of an object itself in {self._of_whom()}."
        if other:
            return None
        if self._owner and holds_as_word(view.surroundings, self._owner):
            return "likely", f"It is called of an object itself in a file that names {self._owner}."
        if not self._owner and view.passage.document_id in self._documents:
            return "likely", "It is called of an object itself in the file that defines it."
        return ("possible", "An object calls something of this name of itself.") if self._telling else None

    def _of(self, receiver: str, view: View) -> Verdict | None:
        """Of an object or a module before the name."""
        called, types = bare(receiver), types_of(receiver, view.surroundings)
        if called in self._strangers or types & self._strangers:
            return None
        if types & self._owners:
            return "sure", f"“{receiver}” is made or declared as {self._of_whom()} here."
        if called in self._owners:
            return "sure", f"It is called of “{receiver}”, which is named like what owns it."
        if any(called.endswith(owner) for owner in self._owners if len(owner) > _SHORTEST):
            return "likely", f"It is called of “{receiver}”, which is named like what owns it."
        if self._owner and holds_as_word(view.surroundings, self._owner):
            return (
                "likely" if self._telling else "possible"
            ), f"The file names {self._owner}; “{receiver}” may be one."
        return self._by_name_alone(view, f"It is called of “{receiver}”")

    def _without_receiver(self, view: View, row: int) -> Verdict | None:
        around = {bare(one) for one in view.owners(row)}
        if self._member or (self._owner and not self._known.meant):
            if around & self._owners:
                return "likely", f"It is used in {self._of_whom()}, which need not name itself."
            return None
        if self._name in view.imported:
            return "sure", "The file imports it by its name."
        if view.passage.document_id in self._documents:
            return "sure", "It is used in the file that defines it."
        if around & self._strangers and not around & self._owners:
            return None
        if view.passage.language in _IMPORTING and not self._telling:
            return None  # a variable or a parameter of this name
        return self._by_name_alone(view, "It is used without what owns it" if self._owner else "It is used")

    def _by_name_alone(self, view: View, how: str) -> Verdict:
        known = self._known
        home = view.repo in self._homes
        alone = not known.others and len(known.meant) == 1 and not self._strangers
        if alone and (home or self._telling):
            where = "in the repository that defines it" if home else "and nothing else that is indexed has this name"
            return ("likely" if self._telling or not self._member else "possible"), f"{how} {where}."
        if not known.meant:
            return ("likely" if self._telling else "possible"), f"{how}; no definition of it was found."
        return ("likely" if home and self._telling else "possible"), f"{how}; others have this name too."

    def _written_in(self, view: View, line: str) -> Verdict | None:
        """In a string, or in a file that no grammar reads."""
        match = self._written.search(line)
        if match is None or len(self._name) < _SHORTEST:
            return None
        if match["owned"] and (self._owner or self._telling):
            return "likely", "It is named with what owns it, in text."
        alone = re.search(rf"[\"'`]{re.escape(self._name)}[\"'`]", line) is not None
        if view.reading is None and self._telling and not self._owner:
            return "likely", "Its name stands in text, where code may read it."
        if alone and (self._telling or match["owned"]):
            return "possible", "Its name stands alone in a string, where code may read it."
        return None

    def _in_documentation(self, view: View) -> Iterator[Sighting]:
        for row, line in enumerate(view.rows):
            match = self._written.search(line)
            if match is None or (self._owner and not match["owned"] and not self._telling):
                continue
            if match["owned"] or match["call"] or self._telling:
                yield Sighting(
                    row, "likely" if match["owned"] and self._owner else "possible", "Documentation names it."
                )

    def _of_whom(self) -> str:
        return self._owner or "what owns it"
