"""JSON as it is stored: the same text on both engines."""

import json

from state.errors import NotStorable


def as_text(value: object) -> str:
    """Compact, and ASCII alone: NUL and lone surrogates are escaped, which every database takes in a column of JSON.

    Raises NotStorable for what is no JSON, NaN included.
    """
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as e:
        raise NotStorable(f"A value cannot be stored ({type(e).__name__}).") from e
