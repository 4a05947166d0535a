"""How much one review may read, ask and say."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one review. Characters are Unicode code points, times are seconds."""

    findings: int = 10
    """Findings that are told; the rest is counted."""
    linked_tickets: int = 25
    remote_links: int = 10
    evidence: int = 10
    """Passages that the general search may bring."""
    prompt_characters: int = 80_000
    source_characters: int = 8_000
    """Of one passage that is shown to the model."""
    answer_characters: int = 12_000
    """Of one answer of a tool."""
    tool_calls: int = 12
    requests: int = 10
    tokens: int = 200_000
    """Input and output of all requests of one review together."""
    answer_tokens: int = 6_000
    """Output of one request."""
    request_seconds: float = 60
    seconds: float = 150
    """For everything that the model does in one review."""
