"""Which agents there are, and what each of them reads."""

from dataclasses import dataclass, field
from typing import Literal

from core.types import Filters

Kind = Literal["documents", "code"]

CODE = frozenset({"code", "commit", "pull"})
"""Kinds of passages that a code agent is there for."""
DOCUMENTS = frozenset({"ticket", "comment", "history", "page", "attachment", "file", "qa"})
"""Kinds of the index that a document agent searches."""


@dataclass(frozen=True, slots=True)
class AgentScope:
    """One agent. Empty restrictions mean all."""

    name: str
    kind: Kind
    about: str
    """What it looks at, told to the model."""
    sources: frozenset[str] = field(default_factory=frozenset)
    repos: frozenset[str] = field(default_factory=frozenset)
    path: str = ""
    """Glob over paths."""

    @property
    def filters(self) -> Filters:
        """What its searches find."""
        kinds = CODE - {"pull"} if self.kind == "code" else DOCUMENTS
        return Filters(sources=self.sources, kinds=kinds, repos=self.repos, path=self.path or None)


DOCUMENT_AGENT = AgentScope("documents", "documents", "You compare it with policies, tickets and the records of tests.")
CODE_AGENT = AgentScope("code", "code", "You compare it with the code, and with the pull requests made for it.")
DEFAULT_AGENTS = (DOCUMENT_AGENT, CODE_AGENT)
