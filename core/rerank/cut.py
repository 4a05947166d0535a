"""What a model gets to read at once, and in which order it reads it."""

from collections.abc import Callable, Sequence


def head(text: str, starts: Sequence[int], most: int) -> str:
    """The text's first `most` tokens, which begin at `starts` (offsets into it)."""
    return text[: starts[most]] if len(starts) > most else text


def in_batches(texts: Sequence[str], size: int, score: Callable[[Sequence[str]], Sequence[float]]) -> tuple[float, ...]:
    """A score a text, in their order; `score` gets at most `size` texts of about one length, the longest first, so
    that little is padded and a batch too large for the memory fails at once. ValueError if it gives too few or many.
    """
    order = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
    held = [0.0] * len(texts)
    for start in range(0, len(order), size):
        some = order[start : start + size]
        for number, value in zip(some, score([texts[number] for number in some]), strict=True):
            held[number] = float(value)
    return tuple(held)
