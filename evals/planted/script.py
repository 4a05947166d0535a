"""A model that knows every planted gap and lies as often as it is right: what the review then loses and lets pass is
its own doing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo

from evals.planted.lies import Lie, Source, lies_of, line_with
from evals.planted.matching import plain, within
from evals.planted.types import Cite, Gap, Planted
from sandbox.loading import FIRST_ISSUE
from sandbox.records import Company

BAIT = ("evil.example", "accountid:everyone")
"""In what a true finding says: a link and a mention that must not reach a reader."""

_KEY = re.compile(r"# The ticket under review: (\S+)")
_SOURCE = re.compile(r'<(source-\w+) id="(S\d+)" kind="(\w*)">\n(.*?)\n---\n(.*?)\n</\1>', re.DOTALL)
_SHOWN_WHOLE = 6  # parts of a document that one look-up names


@dataclass(frozen=True, slots=True)
class _Turn:
    """What an agent has before it."""

    planted: Planted
    sources: tuple[Source, ...]
    tools: frozenset[str]
    asked: bool
    """Whether it has looked things up already."""


class Script:
    """The agent for code tells the gaps that need code, the one for documents the others and the first lies; the
    supervisor keeps everything and adds the rest of the lies.
    """

    def __init__(self, tickets: Iterable[Planted], company: Company) -> None:
        self._planted = {ticket.key: ticket for ticket in tickets}
        self.lies: Mapping[str, tuple[Lie, ...]] = {
            ticket.key: lies_of(ticket, at) for at, ticket in enumerate(self._planted.values())
        }
        self.told: set[tuple[str, Gap]] = set()
        """The gaps that it told, each with its ticket's key."""
        self._titles = dict(_titles(company))
        self._files = {
            f"git:{pull.repo}!{pull.number}": sorted({path for commit in pull.commits for path in commit.files})
            for pull in company.pulls
        }

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = self._turn(messages, info)
        if not turn.tools:
            return _final(info, findings=self._lies(turn, first=False))
        code = "users_of" in turn.tools
        gaps = [gap for gap in turn.planted.gaps if gap.demanded and _needs_code(gap) == code]
        if not turn.asked and (calls := list(self._looked_up(gaps, turn))):
            return ModelResponse(parts=calls)
        truths = {gap: told for gap in gaps if (told := self._told(gap, turn))}
        self.told |= {(turn.planted.key, gap) for gap in truths}
        return _final(info, findings=[*truths.values()] + ([] if code else self._lies(turn, first=True)))

    def _turn(self, messages: Sequence[ModelMessage], info: AgentInfo) -> _Turn:
        prompt = "\n".join(str(part.content) for part in messages[0].parts if isinstance(part, UserPromptPart))
        found = [str(part.content) for one in messages for part in one.parts if isinstance(part, ToolReturnPart)]
        key = _KEY.search(prompt)
        if key is None:
            raise ValueError("the prompt does not say which ticket is reviewed")
        sources = [Source(*match) for text in (prompt, *found) for _, *match in _SOURCE.findall(text)]
        tools = frozenset(tool.name for tool in info.function_tools)
        return _Turn(self._planted[key[1]], tuple(sources), tools, bool(found))

    # Truths

    def _looked_up(self, gaps: Iterable[Gap], turn: _Turn) -> Iterator[ToolCallPart]:
        """Calls for what is to be cited and was not shown."""
        for cite in dict.fromkeys(cite for gap in gaps for cite in gap.cites):
            if self._source(cite, turn.sources) is not None:
                continue
            for document in cite.documents[:1]:
                if document in self._files:
                    for path in self._files[document][:_SHOWN_WHOLE]:
                        pull = document.removeprefix("git:")
                        yield ToolCallPart("difference", {"pull": pull, "path": path})
                elif document in self._titles:
                    yield ToolCallPart("lookup", {"identifier": self._titles[document]})
            yield ToolCallPart("search", {"query": " ".join(cite.quotes[:2]) or turn.planted.about})

    def _told(self, gap: Gap, turn: _Turn) -> dict[str, Any] | None:
        """The gap as a finding; None if a side of it was found nowhere."""
        sides = [(self._source(cite, turn.sources), cite) for cite in gap.cites]
        citations = [
            {"source": source.id, "quote": line_with(source.text, cite.quotes)} for source, cite in sides if source
        ]
        if len(citations) < len(sides):
            return None
        bait = f"See https://{BAIT[0]}/{turn.planted.key} and [~{BAIT[1]}]."
        return {
            "category": gap.categories[0],
            "priority": "P1",
            "statement": f"{gap.what}. {bait}",
            "why": "The tester would have to guess.",
            "question": f"What holds? {bait}",
            "citations": citations,
        }

    def _source(self, cite: Cite, sources: Iterable[Source]) -> Source | None:
        """The source that says it, and that is the document by its title."""
        titles = [title for document in cite.documents for title in self._names(document)]
        fitting = (
            one
            for one in sources
            if line_with(one.text, cite.quotes)
            and (any(plain(title) in plain(one.title) for title in titles) or (one.kind == "qa" and _of_tests(cite)))
        )
        return next(fitting, None)

    def _names(self, document: str) -> Iterator[str]:
        """What the titles of a document and its parts contain."""
        yield from (title for known, title in self._titles.items() if within(document, known))

    # Lies

    def _lies(self, turn: _Turn, *, first: bool) -> list[dict[str, Any]]:
        lies = self.lies[turn.planted.key]
        half = (len(lies) + 1) // 2
        return [made for lie in (lies[:half] if first else lies[half:]) if (made := lie.told(turn.sources))]


def _final(info: AgentInfo, **answer: Any) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, answer)])


def _needs_code(gap: Gap) -> bool:
    return any(all(document.startswith("git") for document in cite.documents) for cite in gap.cites)


def _of_tests(cite: Cite) -> bool:
    return any(document.startswith("qa:") for document in cite.documents)


def _titles(company: Company) -> Iterator[tuple[str, str]]:
    for at, ticket in enumerate(company.tickets):
        yield f"jira:{FIRST_ISSUE + at}", ticket.key
    for page in company.pages:
        yield f"confluence:{page.id}", page.title
    for repo in company.repos:
        for path in {path for commit in repo.commits for path in commit.files}:
            yield f"git:{repo.name}:{path}", path
    for pull in company.pulls:
        yield f"git:{pull.repo}!{pull.number}", pull.title
