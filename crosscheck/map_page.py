"""A map as one web page that needs nothing else: no network, no library, and no script but its own can run."""

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from crosscheck.map_look import look
from crosscheck.map_words import method, summary, title

_HERE = Path(__file__).parent
_TEMPLATES = Environment(loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined)
# What could end the block or begin a comment in it, and the two line ends that JSON has and scripts had not.
_INERT = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})


def page(data: Mapping[str, Any]) -> str:
    """The page of `map_data`'s data."""
    style, script = _part("map.css"), _part("map.js")
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; img-src data:"
    sources = [{**source, **look(number)._asdict()} for number, source in enumerate(data["sources"])]
    drawn = {"question": data["question"], "points": data["points"], "sources": sources}
    return _TEMPLATES.get_template("map.html").render(
        policy=Markup(f"{policy}; base-uri 'none'; form-action 'none'"),  # noqa: S704  nothing of it is from outside
        title=title(data),
        summary=summary(data),
        method=method(data),
        drawn=len(data["points"]),
        style=Markup(style),  # noqa: S704  a file of this package
        script=Markup(script),  # noqa: S704  a file of this package
        data=Markup(_inert(drawn)),  # noqa: S704  made inert
    )


def _part(name: str) -> str:
    return (_HERE / name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _inert(value: Any) -> str:
    """JSON that cannot be anything else inside an HTML page."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_INERT)
