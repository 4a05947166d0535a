"""Who calls."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caller:
    """A client that has shown who it is, by its token or by having started the process itself."""

    name: str
    """As the settings call its token; stands in logs."""
    labels: frozenset[str]
    """All that it may read."""
    exactly: bool = True
    """False: and whatever everybody who holds these labels also holds, by the settings."""

    def __post_init__(self) -> None:
        """Raises ValueError for a label that would be read as two."""
        if any("," in label for label in self.labels):
            raise ValueError("A label holds no comma.")

    @property
    def audience(self) -> str:
        """The labels as operations take them."""
        return f"{'=' if self.exactly else ''}{','.join(sorted(self.labels))}"
