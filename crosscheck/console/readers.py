"""Who may see what a job says: the rule of the console.

A viewer sees a job's text if they hold every label

- of the place where it was asked: the project or channel, and the ticket or page as the index knows it;
- of whoever its replies were made for, in every round: all that a reply may show is readable with these;
- that the documents carry now which the replies rest on and quote.

Where one of these is not known, because nothing was made yet or a document is not in the index any more, it takes
every label that anything here has. And of a text that was made for nobody in particular (a refusal, a failure) what was
said is not shown at all, since it may quote a comment whose readers are not known. What a person asked in private is
for that person alone.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from core import visibility
from state.types import JobView

LabelsOf = Callable[[str], frozenset[str] | None]
"""The labels that a document carries now; None when it is not known."""

_PROJECT = re.compile(r"([A-Z][A-Z0-9_]+)-[0-9]+")
_MADE = ("review", "answer", "test_cases")
_PRIVATE = "slack_private"


class Reader:
    """One viewer, over one page."""

    def __init__(self, held: frozenset[str], labels_of: LabelsOf, every: Callable[[], frozenset[str]]) -> None:
        """`every` is each label that anything here has."""
        self._held = held
        self._labels_of = labels_of
        self._known: dict[str, frozenset[str] | None] = {}
        self._every = every

    def may_read(self, view: JobView) -> bool:
        """Whether the job's text is for this viewer."""
        place, made_for = places(view), audiences(view)
        if place is None or not self._held >= place.union(*made_for):
            return False
        asked_in = _asked_in(view)
        documents = {*_rests_on(view), *_quoted(view), *([asked_in] if asked_in else [])}
        if not any(made_for) or not all(map(self._is_known, documents)):
            return self.holds_all and self._reads(filter(self._is_known, documents))
        return self._reads(documents)

    def may_know(self, document: str) -> bool:
        """Whether a document is one that is known and readable."""
        return self._is_known(document) and self._reads([document])

    @cached_property
    def holds_all(self) -> bool:
        """Whether there is no label here that this viewer lacks."""
        every = self._every()
        return bool(every) and self._held >= every

    def _reads(self, documents: Iterable[str]) -> bool:
        return all(self._held >= (self._labels(one) or frozenset()) for one in documents)

    def _is_known(self, document: str) -> bool:
        return bool(self._labels(document))

    def _labels(self, document: str) -> frozenset[str] | None:
        if document not in self._known:
            self._known[document] = self._labels_of(document)
        return self._known[document]


def is_for_somebody(view: JobView) -> bool:
    """Whether it is known for whom its reply was made."""
    return any(audiences(view))


def audiences(view: JobView) -> list[frozenset[str]]:
    """The labels that each of its replies was made for; empty ones for what was made for nobody in particular."""
    result = view.result or {}
    made = [_labels_in(result[name].get("audience")) for name in _MADE if isinstance(result.get(name), Mapping)]
    return [*made, *(_labels_in(post.payload.get("made_for")) for post in view.posts)]


def _labels_in(audience: object) -> frozenset[str]:
    """As records have them: a list, or for a draft of test cases the audience as it is."""
    labels = audience.get("labels") if isinstance(audience, Mapping) else audience
    return frozenset(map(str, labels)) if isinstance(labels, list | tuple) else frozenset()


def places(view: JobView) -> frozenset[str] | None:
    """The labels of the project or channel; none for a page, whose document has them. None: nobody may look."""
    surface, place = view.payload.get("surface"), str(view.payload.get("place_id") or "")
    if surface == "jira":
        project = _PROJECT.fullmatch(view.job.subject)
        return frozenset({visibility.jira_project(project[1])}) if project else None
    if surface == "confluence" and place:
        return frozenset()
    if surface == "slack" and place:
        return frozenset({visibility.slack_channel(place)})
    return None


def _asked_in(view: JobView) -> str | None:
    surface, place = view.payload.get("surface"), view.payload.get("place_id")
    return f"{surface}:{place}" if surface in {"jira", "confluence"} else None


def _rests_on(view: JobView) -> Iterator[str]:
    for post in view.posts:
        yield from map(str, post.payload.get("rests_on") or ())


def _quoted(view: JobView) -> Iterator[str]:
    result = view.result or {}
    for name in _MADE:
        yield from documents_in(result.get(name))


def documents_in(value: object) -> Iterator[str]:
    """Every document that a record names, wherever it does."""
    if isinstance(value, Mapping):
        named = [value.get("document"), value.get("document_id"), *(value.get("rests_on") or ())]
        yield from (one for one in named if isinstance(one, str) and one)
        for one in value.values():
            yield from documents_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from documents_in(one)
