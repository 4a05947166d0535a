"""All arms of a search, asked of one collection."""

from collections.abc import Sequence
from dataclasses import replace

from core.asking import Asked, arms_of
from core.ranking import VOTES, Ranking, Rankings, agreement, by_document, share_known
from core.store.base import Arm, CollectionName, Scope, Store, document_of, point_id
from core.types import Filters, Metrics
from core.votes import CommitVotes

LEADING = "content words"
"""The arm that the others are held against: on every set measured it is the best alone."""

_MANY = 10  # chunks of a file that is voted for, on average, among which its best is looked for


class Arms:
    """Words and meaning compared with content and context, and for code the commits that vote. Raises IndexUnusable."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics
        self._votes = CommitVotes(store)

    def rankings(
        self,
        collection: CollectionName,
        wordings: Sequence[Asked],
        scope: Scope,
        depth: int,
        variant: float,
        voters: Filters | None = None,
    ) -> Rankings:
        """What each arm finds, by chunk and by document; each ranking's weight is how far it may be believed. The first
        wording counts 1, the others `variant`. Only commits that `voters` leaves vote; without, those in scope.
        """
        arms = arms_of(wordings, variant)
        answers = self._store.rank(collection, [Arm(arm.using, arm.vector) for arm in arms], scope, depth)
        best = self._store.fetch(collection, [hits[0].id for hits in answers if hits], scope.audience)
        chunks: list[Ranking] = []
        documents: list[Ranking] = []
        leading: tuple[Sequence[str], float] = ((), 0.0)
        for arm, hits in zip(arms, answers, strict=True):
            if not hits:
                self._metrics.count("crosscheck_search_empty_arms_total", collection=collection, arm=arm.kind)
                continue
            believed = share_known(arm.words, best[hits[0].id]) if hits[0].id in best else 1.0
            of_documents = by_document(hits)
            if arm.name == LEADING:
                leading = (of_documents, believed)
            else:
                believed *= agreement(of_documents, *leading)
            chunks.append(Ranking(arm.name, [hit.id for hit in hits], arm.share * believed))
            documents.append(Ranking(arm.name, of_documents, arm.share * believed))
        if collection == "code":
            shown, voted = self._voted(wordings[0], scope, voters or scope.filters, depth)
            chunks += shown
            documents += voted
        return Rankings(chunks, documents)

    def _voted(
        self, asked: Asked, scope: Scope, voters: Filters, depth: int
    ) -> tuple[Sequence[Ranking], Sequence[Ranking]]:
        """The files that commits vote for, as far as they are in scope; and, of no weight, what is most like the
        question in each, so that a file is shown that no other arm found.
        """
        voted = self._votes.documents(asked.terms, replace(scope, filters=voters))
        if not voted:
            return (), ()
        within = replace(scope, filters=replace(scope.filters, documents=frozenset(voted)))
        hits = self._store.rank("code", [Arm("content", asked.terms)], within, _MANY * depth)[0]
        best = {document_of(hit.id): hit.id for hit in reversed(hits)}
        keys = [key for name in voted if (key := document_of(point_id(name, 0, "code"))) in best]
        return [Ranking(VOTES, [best[key] for key in keys], 0.0)], [Ranking(VOTES, keys, 1.0)]
