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
        *,
        commits: Asked | None = None,
        voters: Filters | None = None,
    ) -> Rankings:
        """What each arm finds, by chunk and by document; each ranking's weight is how far it may be believed. The first
        wording counts 1, the others `variant`. Commits vote if the question is given as it is compared with them: those
        that `voters` leaves, or without, those in scope.
        """
        arms = arms_of(wordings, variant)
        answers = self._store.rank(collection, [Arm(arm.using, arm.vector) for arm in arms], scope, depth)
        best = self._store.fetch(
            collection,
            [hits[0].id for arm, hits in zip(arms, answers, strict=True) if hits and arm.words],
            scope.audience,
        )
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
        if commits is not None:
            shown, voted = self._voted(commits, scope, voters or scope.filters)
            chunks += shown
            documents += voted
        return Rankings(chunks, documents)

    def _voted(self, asked: Asked, scope: Scope, voters: Filters) -> tuple[Sequence[Ranking], Sequence[Ranking]]:
        """The files that commits vote for, as far as they are in scope; and, of no weight, their first chunks, so that
        a file is shown that no other arm found.
        """
        voted = self._votes.documents(asked.terms, replace(scope, filters=voters))
        if scope.filters.documents:
            voted = [name for name in voted if name in scope.filters.documents]
        if not voted:
            return (), ()
        within = replace(scope, filters=replace(scope.filters, documents=frozenset(voted)))
        there = self._store.names("document_id", within)
        first = [point_id(name, 0, "code") for name in voted if name in there]
        if not first:
            return (), ()
        return [Ranking(VOTES, first, 0.0)], [Ranking(VOTES, [document_of(key) for key in first], 1.0)]
