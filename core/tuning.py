"""What a search weighs, and how much."""

from dataclasses import dataclass, field

from core.ranking import VOTES, Arrangement, Ranking, Rankings


@dataclass(frozen=True, slots=True)
class Tuning:
    """Measured, not chosen by taste (`evals/results/README.md`). The first four weights are of the arms: a question's
    words and its meaning, compared with a chunk's content and its context.
    """

    content_words: float = 1.0
    context_words: float = 0.5
    content_meaning: float = 0.4
    context_meaning: float = 0.3
    votes: float = 1.0
    """Of the commits like the question, for the files they touched."""
    document: float = 0.4
    """What an arm's ranking of documents (each by its best chunk) counts, as a share of its ranking of chunks."""
    variant: float = 0.5
    """What an arm of another wording counts, as a share."""
    k: float = 10
    """See `fuse`."""
    depth: int = 60
    """Points asked of each arm, at least."""
    reranked: int = 50
    """Candidates that the reranker reads."""
    late: float = 0.5
    """What the default reranker's opinion counts beside the fused order's, both standardised, for a short question."""
    model: float = 3.0
    """The same for a model's."""
    short: int = 30
    """Words of a question that a reranker may be fully believed about; of a long report every text answers some."""
    novelty: float = 0.1
    """See `varied`; for code."""
    arrangement: Arrangement = field(
        default_factory=lambda: Arrangement(
            places={"ticket": 3, "document": 4, "code": 5, "test": 1},
            apart=frozenset({"test", "generated", "news", "commit"}),
            per_document=6,
        )
    )

    def weighed(self, rankings: Rankings) -> Rankings:
        """Every ranking with what it counts; what it had was how far it may be believed."""
        weights = {
            "content words": self.content_words,
            "context words": self.context_words,
            "content meaning": self.content_meaning,
            "context meaning": self.context_meaning,
        }

        def weigh(ranking: Ranking, share: float) -> Ranking:
            weight = self.votes if ranking.name == VOTES else share * weights[ranking.kind]
            return Ranking(ranking.name, ranking.ids, ranking.weight * weight)

        return Rankings(
            [weigh(ranking, 1.0) for ranking in rankings.chunks],
            [weigh(ranking, self.document) for ranking in rankings.documents],
        )
