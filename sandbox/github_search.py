"""The part of GitHub's search for pull requests that a reader needs: words and qualifiers, all of them must hold."""

import re
from collections.abc import Callable, Mapping

from sandbox.git_api import holds_words
from sandbox.git_host import HostedPull
from sandbox.github_json import login

LONGEST = 256
_PART = re.compile(r'(-?)(?:([a-z]+):)?(?:"([^"]*)"|(\S+))')

IS: Mapping[str, Callable[[HostedPull], bool]] = {
    "pr": lambda _pull: True,
    "issue": lambda _pull: False,
    "open": lambda pull: pull.open,
    "closed": lambda pull: not pull.open,
    "merged": lambda pull: pull.state == "merged",
    "unmerged": lambda pull: pull.state == "closed",
    "draft": lambda pull: pull.state == "draft",
}


class Query:
    """A parsed query. `repos` are the repositories that it names, as `owner/name`; `problem` says why it is refused."""

    def __init__(self, text: str) -> None:
        self.repos: list[str] = []
        self.owners: list[str] = []
        self.problem = "" if text.strip() and len(text) <= LONGEST else "The search is longer than 256 characters."
        self._words: list[str] = []
        self._places: tuple[str, ...] = ("title", "body")
        self._rules: list[Callable[[HostedPull], bool]] = []
        for not_, name, quoted, bare in _PART.findall(text):
            self._add(not_ == "-", name, quoted or bare)

    def matches(self, pull: HostedPull) -> bool:
        places = {"title": pull.title, "body": pull.description}
        text = "\n".join(places[place] for place in self._places)
        return holds_words(text, self._words) and all(rule(pull) for rule in self._rules)

    def _add(self, negated: bool, name: str, value: str) -> None:
        match name:
            case "":
                self._words.append(value)
            case "repo":
                self.repos.append(value.lower())
            case "org" | "user":
                self.owners.append(value.lower())
            case "in":
                self._places = tuple(place for place in value.split(",") if place in {"title", "body"})
            case "is" | "type" | "state" if value in IS:
                rule = IS[value]
                self._rules.append(lambda pull: rule(pull) != negated)
            case "head":
                self._rules.append(lambda pull: pull.branch.lower().startswith(value.lower()) != negated)
            case "base":
                self._rules.append(lambda pull: (pull.base == value) != negated)
            case "author":
                self._rules.append(lambda pull: (login(pull.author) == value) != negated)
            case _:
                self._words.append(f"{name}:{value}")
