"""Outlines of any text, and what a reader sees of a document."""

from hypothesis import strategies as st

from bots.outline import Bullets, Code, Heading, Link, Paragraph, Table, Words
from core.types import Locator

HOSTILE = [
    "check_user_lock",
    "MAX_RETRY_COUNT",
    "{tenant}",
    "a*b*c",
    "[draft]",
    "C:\\temp",
    "# heading",
    "h1. heading",
    "{code}x{code}",
    "@[~accountid:1]",
    ":smile: (!) <b>x</b> &amp;",
    "|| a || b ||",
    "~~x~~ `y` **z**",
    "",
    " ",
    "\x00\x1b[31mred\x1b[0m\x9b2J",
    "\u202egnp.exe\u202c",
    "\ud83d",
    "a\r\nb\rc\u2028d",
    "שלום עולם",
    "👩‍👩‍👧",
    "javascript:alert(1)",
]

texts = st.sampled_from(HOSTILE) | st.text(max_size=60)
urls = st.sampled_from(
    ["https://x.example/a b#L12", "http://x.example", "javascript:alert(1)", "ftp://x", "", "https://", "https://[::1"]
) | st.text(max_size=30)
locators = st.builds(Locator, st.just("d"), texts, urls)
spans = st.lists(
    st.builds(Words, texts, st.booleans(), st.booleans()) | st.builds(Link, texts, locators), max_size=4
).map(tuple)
blocks = st.one_of(
    st.builds(Heading, texts, st.integers(-1, 9)),
    st.builds(Paragraph, spans),
    st.builds(Bullets, st.lists(spans, max_size=4).map(tuple), st.booleans()),
    st.builds(
        Table,
        st.lists(texts, max_size=4).map(tuple),
        st.lists(st.lists(spans, max_size=5).map(tuple), max_size=3).map(tuple),
    ),
    st.builds(Code, texts, st.none() | texts),
)
outlines = st.lists(blocks, max_size=6).map(tuple)


def visible(node):
    """The text of a document as a reader sees it, blocks and cells apart by a line end."""
    kind = node["type"]
    if kind == "text":
        return node["text"]
    if kind == "hardBreak":
        return "\n"
    inner = "".join(visible(child) for child in node.get("content", []))
    return inner + "\n" if kind in {"paragraph", "heading", "codeBlock"} else inner


def nodes(node):
    yield node
    for child in node.get("content", []):
        yield from nodes(child)
