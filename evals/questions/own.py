"""A team's own questions, asked of its own installation as `crosscheck ask` asks. Posts nothing."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bots.text import one_line
from core.tickets import KEY
from crosscheck.operations import Operations
from evals.planted.measure import digest
from evals.questions.answers import read as read_answer
from evals.questions.load import QuestionsError, read
from evals.questions.measure import Ask, Asked, Progress, ask_all, cases
from evals.questions.types import HELD, Answer, Question, Source

WAY = "as installed"
EXAMPLE = Path(__file__).with_name("example.toml")
_FORMS = {
    "ticket": re.compile(KEY.pattern),
    "page": re.compile(r".+"),
    "file": re.compile(r"[^/]+/.+"),
    "commit": re.compile(r"[^@]+@[0-9a-f]{7,40}"),
    "qa": re.compile(r".+"),
}
"""Of the names that people give, by what stands before the colon."""
_SHOWN = 12  # digits of a commit's id
_LOOKED_AT = 20  # passages that bear a name
_TOLD = 10  # names that are told


def questions(path: Path) -> tuple[Question, ...]:
    """The questions of a file. Raises QuestionsError where something in it is wrong."""
    if not path.is_file():
        raise QuestionsError(f"{path} is no file. `crosscheck eval answers --example` prints questions to begin with.")
    asked = read(path)
    for one in asked:
        for name in sorted(one.documents):
            kind, _, rest = name.partition(":")
            if not rest or (kind in _FORMS and not _FORMS[kind].fullmatch(rest)):
                raise QuestionsError(
                    f"{path.name}: {one.id} names {one_line(name, 80)!r}. Write ticket:KEY, page:ID or page:TITLE, "
                    "file:REPOSITORY/PATH, commit:REPOSITORY@ID, qa:CASE, or a document's id."
                )
    return asked


def measure(path: Path, operations: Operations, audience: str, report: Progress, *, held: bool = False) -> Asked:
    """Ask what a file asks. What its names mean is looked up once for who asks; what is not found stays missed."""
    asked = questions(path)
    part = HELD if held else "open"
    own = dict(cases(asked, part))
    if not own:
        raise QuestionsError(f"{path.name} has no question of the part {part!r}.")
    seen: set[str] = set()
    looked_up = _LookedUp(operations)
    for case, one in own.items():
        of = _audience(audience, one)
        own[case] = _renamed(one, {name: looked_up.meant(name, of) for name in one.documents})
    scored = ask_all(own, _by_operation(operations, audience, seen.add), name_of, report)
    return Asked(
        set=f"{path.stem}, {HELD}" if held else path.stem,
        way=WAY,
        scored=scored,
        made_with={
            "questions": digest(path),
            "audience": audience,
            "answered by": "; ".join(sorted(seen)),
            **_index(operations),
        },
        told=not held,
        notes=tuple(_not_there(sorted(looked_up.missing), told=not held)),
    )


def name_of(source: Source) -> str:
    """What questions call it: a ticket by its key, all that belongs to a page by the page."""
    return named(source.document, source.title)


def named(document: str, title: str) -> str:
    """The same for a document of the index. Titles of what belongs to a ticket begin with its key."""
    kind, _, rest = document.partition(":")
    first, _, part = rest.partition(":")
    if kind == "jira" and (key := KEY.match(title)):
        return f"ticket:{key[0]}"
    if kind == "confluence":
        return f"page:{first}"
    if kind == "git" and part:
        return f"file:{first.partition('@')[0]}/{part}"
    if kind == "git" and "@" in first:
        repo, _, commit = first.partition("@")
        return f"commit:{repo}@{commit[:_SHOWN]}"
    return f"qa:{part}" if kind == "qa" and not part.startswith("//") else document


class _LookedUp:
    """What names mean, each looked up once for each audience."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self._known: dict[tuple[str, str], str] = {}
        self.missing: set[str] = set()
        """Names that somebody who asks cannot find."""

    def meant(self, name: str, audience: str) -> str:
        """What `name_of` calls the document; the name itself where this audience finds none."""
        if (name, audience) not in self._known:
            found = self._found(name, audience)
            self._known[name, audience] = found or name
            if found is None:
                self.missing.add(name)
        return self._known[name, audience]

    def _found(self, name: str, audience: str) -> str | None:
        kind, _, rest = name.partition(":")
        if kind not in _FORMS:
            return name
        if kind == "file":  # of many repositories one, which a path alone does not tell
            repo, _, path = rest.partition("/")
            filters = {"repos": [repo], "path": "/" + path.replace("[", "[[]")}
            arguments = {"text": path, "audience": audience, "limit": _LOOKED_AT, "filters": filters}
            found = self._operations.run("search", arguments, _quietly)
        else:
            looked_for = rest.partition("@")[2] if kind == "commit" else rest
            arguments = {"key": looked_for, "audience": audience, "limit": _LOOKED_AT}
            found = self._operations.run("lookup", arguments, _quietly)
        for evidence in found["evidence"]:
            called = named(evidence["document"], evidence["title"])
            if called == name or _is(kind, rest, called, evidence):
                return called
        return None


def _is(kind: str, rest: str, name: str, evidence: Mapping[str, Any]) -> bool:
    """Whether a document is the page of this title, or the commit that has this abbreviation."""
    if kind == "page" and name == f"page:{evidence['document'].removeprefix('confluence:')}":
        title = f"{evidence['title']},".casefold()
        return title.startswith(f"{rest.casefold()},")
    return kind == "commit" and evidence["document"].startswith(f"git:{rest}")


def _renamed(question: Question, meant: Mapping[str, str]) -> Question:
    return replace(
        question,
        wanted=tuple(frozenset(meant[name] for name in group) for group in question.wanted),
        fine=frozenset(meant[name] for name in question.fine),
        old=frozenset(meant[name] for name in question.old),
    )


def _by_operation(operations: Operations, audience: str, made_by: Callable[[str], None]) -> Ask:
    """`made_by` is told who answered, in plain words."""

    def ask(question: Question) -> Answer:
        arguments = {"text": question.text, "audience": _audience(audience, question), "texts": True}
        answer = read_answer(operations.run("ask", arguments, _quietly))
        made_by(answer.made_by)
        return answer

    return ask


def _audience(audience: str, question: Question) -> str:
    return ",".join([audience, *sorted(question.holds)])


def _not_there(missing: Sequence[str], *, told: bool) -> Iterator[str]:
    if not missing:
        return
    few = ", ".join(one_line(name, 80) for name in missing[:_TOLD])
    which = f": {few}{' and others' if len(missing) > _TOLD else ''}" if told else ""
    yield (
        f"{len(missing)} of the documents that are named are not in the index for who asks{which}. They count as "
        "missed. Check the names and the audience, or sync."
    )


def _index(operations: Operations) -> dict[str, str]:
    """By what the searched index compares texts."""
    found = operations.run("index", {}, _quietly)["generations"]
    return {
        f"embedder of {what}": ", ".join(dict.fromkeys(one[what] for one in found if one["searched"]))
        for what in ("documents", "code")
    }


def _quietly(_message: Mapping[str, Any]) -> None:
    """Nothing is shown of a step within a question."""
