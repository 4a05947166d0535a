"""What each page has to be: well nested, with landmarks, labels and captions, and nothing that its policy forbids."""

from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "link", "input", "br", "hr", "img"}
HEADINGS = {f"h{level}" for level in range(1, 7)}


class Page(HTMLParser):
    """A parsed page; `faults` says what is wrong with it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.links: list[dict[str, str]] = []
        self._open: list[str] = []
        self._text: dict[int, str] = {}
        self.feed(html)
        self.close()
        self._judge(html)

    def handle_starttag(self, tag, attributes):
        held = {name: value or "" for name, value in attributes}
        if len(held) != len(attributes):
            self.faults.append(f"{tag} has an attribute twice")
        self.tags.append((f"svg {tag}" if tag == "title" and "svg" in self._open else tag, held))
        if tag not in VOID and "svg" not in self._open:
            self._nest(tag)
        elif tag not in VOID:
            self._open.append(tag)
        if tag == "a":
            self.links.append(held)

    def _nest(self, tag):
        parent = self._open[-1] if self._open else ""
        wanted = {
            "li": {"ul", "ol"}, "tr": {"thead", "tbody"}, "td": {"tr"}, "th": {"tr"}, "caption": {"table"},
            "dt": {"dl", "div"}, "dd": {"dl", "div"}, "option": {"select", "optgroup"}, "summary": {"details"},
            "legend": {"fieldset"},
        }  # fmt: skip
        if tag in wanted and parent not in wanted[tag]:
            self.faults.append(f"{tag} in {parent}")
        blocks = {"p", "div", "ul", "ol", "table", "form", "section", "dl", "pre", "details", "blockquote", *HEADINGS}
        if parent in {"p", *HEADINGS, "a", "span", "label"} and tag in blocks:
            self.faults.append(f"{tag} in {parent}")
        self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def _judge(self, html):
        faults = self.faults
        names = Counter(tag for tag, _ in self.tags)
        ids = Counter(held["id"] for _, held in self.tags if "id" in held)
        faults += [f"open at the end: {tag}" for tag in self._open]
        faults += [f"id {one} twice" for one, count in ids.items() if count > 1]
        faults += [
            f"{names[tag]} of {tag}" for tag in ("html", "main", "h1", "title", "header", "footer") if names[tag] != 1
        ]
        faults += ["no doctype"] if not html.startswith("<!doctype html>") else []
        faults += (
            [f"{names['caption']} captions of {names['table']} tables"] if names["caption"] != names["table"] else []
        )
        labelled = {held.get("for") for tag, held in self.tags if tag == "label"}
        for tag, held in self.tags:
            self._judge_one(tag, held, ids, labelled)
        levels = [int(tag[1]) for tag, _ in self.tags if tag in HEADINGS]
        faults += [f"h{b} after h{a}" for a, b in pairwise(levels) if b > a + 1]

    def _judge_one(self, tag, held, ids, labelled):
        forbidden = [name for name in held if name.startswith("on") or name == "style"]
        self.faults += [f"{name} on {tag}" for name in forbidden]
        if tag == "style" or (tag == "script" and not held.get("src", "").startswith("/console/static/")):
            self.faults.append(f"{tag} in the page")
        if tag in {"input", "select", "textarea"} and held.get("type") != "hidden" and held.get("id") not in labelled:
            self.faults.append(f"{tag} without a label")
        if tag == "th" and held.get("scope") not in {"row", "col"}:
            self.faults.append("th without scope")
        for name in ("aria-labelledby", "aria-describedby"):
            self.faults += [f"{name} of nothing" for one in held.get(name, "").split() if one not in ids]
        address = held.get("href", held.get("src", held.get("action", "")))
        if address and not address.startswith(("/console/", "#", "http://", "https://", "data:,")):
            self.faults.append(f"{tag} leads to {address[:40]}")
        if tag == "a" and address.startswith("http") and not {"noreferrer"} <= set(held.get("rel", "").split()):
            self.faults.append("a link elsewhere without noreferrer")


def faults(html: str) -> list[str]:
    return Page(html).faults
