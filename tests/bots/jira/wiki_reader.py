"""Wiki markup as a reader of Jira sees it: the blocks with their visible text, and every construct that was made.

A model of Jira's renderer in its order: macros, blocks, links, bare addresses, backslashes, HTML, dashes, emoticons,
images, phrases, line ends. It knows nothing of how the markup was written.
"""

import html
import re
import unicodedata
from dataclasses import dataclass, field

SPACE = " \t\n\x0b\x0c\r"  # Java's \s
MACRO = re.compile(r"\{([^{}\n:\\]+)(?::([^{}\n]*))?\}(?!\}(?:\}\})*(?!\}))")
MENTION = re.compile(r"\[[~@][^\\,]+?\]")
HEADING = re.compile(r"[ \t]*h([1-6])\.[ \t]+(.*)")
QUOTE = re.compile(r"[ \t]*bq\.[ \t]")
RULE = re.compile(r"[ \t]*-{4,}[ \t]*")
ITEM = re.compile(r"[ \t]*([*\-#]+)[ \t]+(.*?)[ \t]*")
DASHES = re.compile(r"[ \t]*-{2,3}.*")
PROTOCOLS = "http://|https://|ftp://|ftps://|mailto:|nntp://|news://|irc://|file:"
ADDRESS = rf"(?<![A-Za-z0-9])(?:{PROTOCOLS})[-_.!~*';/?:@#&=%+$,A-Za-z0-9\[\]()\\]+"
BARE = re.compile(rf"(?:[^\"\[|'!]|^)({ADDRESS})")
ESCAPE = re.compile(r"(?<!\\)\\([-#*_+?^~|%{}\[\]()!@])")
ENTITY = re.compile(r"&[#A-Za-z0-9][A-Za-z0-9]{1,7};")
DASH = re.compile(r"(?:^|(?<=\s))---?(?=\s|$)")
ICONS = (
    ":-)", ":)", ":P", ":p", ";-)", ";)", ":D", ":-(", ":(", "(y)", "(n)", "(i)", "(/)", "(x)", "(!)", "(+)", "(-)",
    "(?)", "(on)", "(off)", "(*)", "(*r)", "(*g)", "(*b)", "(*y)", "(flag)", "(flagoff)",
)  # fmt: skip
NEW_LINE = re.compile(r"(?<!\\)\\\\(?!\S*\\)")
PHRASES = (
    ("cite", "??", "??"), ("strong", "*", "*"), ("sup", "^", "^"), ("sub", "~", "~"), ("em", "_", "_"),
    ("del", "-", "-"), ("ins", "+", "+"), ("mono", "{{", "}}"),
)  # fmt: skip


@dataclass
class Page:
    blocks: list[tuple[str, object]] = field(default_factory=list)
    """Kind and visible text; for a row its cells' texts."""
    made: list[tuple[str, str]] = field(default_factory=list)
    """Every construct, with what it holds."""

    @property
    def text(self) -> str:
        return "\n".join("\n".join(what) if isinstance(what, list) else str(what) for _, what in self.blocks)


def read(markup: str) -> Page:
    page = Page()
    page.made += [("mention", found) for found in MENTION.findall(markup)]
    while (macro := _macro(markup)) is not None:
        if macro[1].lower() not in {"code", "noformat"}:
            page.made.append(("macro", macro[0]))
            markup = markup[: macro.start()] + markup[macro.end() :]
            continue
        end = re.compile(r"(?<!\\)\{" + macro[1] + r"\}").search(markup, macro.end())
        assert end is not None, f"never closed: {markup[macro.start() : macro.start() + 40]!r}"
        _blocks(page, markup[: macro.start()])
        page.made.append((macro[1], macro[2] or ""))
        page.blocks.append(("code", markup[macro.end() : end.start()].removeprefix("\n").removesuffix("\n")))
        markup = markup[end.end() :]
    _blocks(page, markup)
    return page


def _macro(markup):
    """The first; a brace before a brace or the sign of a phrase begins none, nor does one after a backslash."""
    at = 0
    while at < len(markup):
        if markup[at] == "\\" or (markup[at] == "{" and markup[at + 1 : at + 2] in set("{*?^_-+~")):
            at += 2
        elif markup[at] == "{" and (macro := MACRO.match(markup, at)) is not None:
            return macro
        else:
            at += 1
    return None


def _blocks(page, markup):
    lines = markup.split("\n")
    paragraph = []

    def flush():
        if paragraph:
            page.blocks.append(("paragraph", _inline(page, "\n".join(paragraph))))
            paragraph.clear()

    while lines:
        line = lines.pop(0)
        if not line.strip(SPACE):
            flush()
        elif (heading := HEADING.fullmatch(line)) is not None:
            flush()
            page.made.append(("heading", heading[1]))
            page.blocks.append(("heading", _inline(page, heading[2])))
        elif QUOTE.match(line) or RULE.fullmatch(line):
            flush()
            page.made.append(("quote or rule", line))
        elif (item := ITEM.fullmatch(line)) is not None and not DASHES.fullmatch(line):
            flush()
            _list(page, item, lines)
        elif line.lstrip(SPACE).startswith("|"):
            flush()
            _row(page, line)
        else:
            paragraph.append(line)
    flush()


def _list(page, item, lines):
    """Takes a list out of the lines; an empty one ends it."""
    sign, text = item[1], [item[2]]
    while True:
        line = lines.pop(0) if lines else ""
        following = ITEM.fullmatch(line)
        if following is None and line.strip(SPACE):
            text.append(line)
            continue
        page.made.append(("item", sign))
        page.blocks.append(("item", _cell(page, "\n".join(text))))
        if following is None:
            return
        sign, text = following[1], [following[2]]


def _row(page, line):
    """A line is a row here; the writer never spreads one over two."""
    assert line.rstrip(SPACE).endswith("|"), f"a row that goes on: {line[:60]!r}"
    line, links = _links(page, line.strip(SPACE))
    cells, cell, header, previous = [], "", False, ""
    for number, char in enumerate(line):
        if char != "|" or previous == "\\":
            cell += char
        elif number and previous == "|":
            header = True
        elif number:
            cells.append((header, cell))
            cell, header = "", False
        previous = char
    assert not cell
    page.made += [("header" if is_header else "cell", "") for is_header, _ in cells]
    page.blocks.append(("row", [_cell(page, text, links) for _, text in cells]))


def _cell(page, text, links=None):
    """Blocks are looked for in an item and a cell as well."""
    inner = Page()
    if links is None:
        _blocks(inner, text)
        page.made += inner.made
    else:
        inner.blocks.append(("paragraph", _inline(page, text, links)))
        for line in text.split("\n"):
            item = ITEM.fullmatch(line)
            if HEADING.fullmatch(line) or QUOTE.match(line) or RULE.fullmatch(line) or item:
                page.made.append(("block in a cell", line))
    return inner.text


def _links(page, text):
    """Links become tokens."""
    store = []
    inside = [match.span() for match in re.finditer(ADDRESS, text)] + _spans(text, "!", "!")
    out, at = "", 0
    while (start := text.find("[", at)) >= 0:
        end = _link_end(text, start) if _link_start(text, start, inside) else None
        if end is None:
            out, at = out + text[at : start + 1], start + 1
            continue
        body, _, target = text[start + 1 : end].rpartition("|") if "|" in text[start + 1 : end] else ("", "", "")
        if not target and body:  # an empty title
            body, _, target = body.partition("|")
        elif "|" in body:
            body, _, target = text[start + 1 : end].partition("|")
        target = target.partition("|")[0] or text[start + 1 : end]
        page.made.append(("link", target))
        store.append(_inline(page, body) if body else target)
        out, at = out + text[at:start] + f"\x01{len(store) - 1}\x02", end + 1
    return out + text[at:], store


def _link_start(text, start, inside):
    following = text[start + 1 : start + 2]
    return (
        text[start - 1 : start] != "\\"
        and following not in {"", "]"}
        and not following.isspace()
        and not any(begin < start < end for begin, end in inside)
    )


def _link_end(text, start):
    for at in range(start + 1, len(text)):
        if text[at] == "\n" or (text[at] == "[" and text[at - 1] != "\\"):
            return None
        if text[at] == "]" and text[at - 1] != "\\":
            return at
    return None


def _inline(page, text, links=None):
    if links is None:
        text, links = _links(page, text)
    page.made += [("autolink", found) for found in BARE.findall(text)]
    text = ESCAPE.sub(lambda m: m[1] if m[1] in "{}[]" else f"&#{ord(m[1])};", text)
    text = re.sub(r"[&<>]", lambda m: m[0] if ENTITY.match(text, m.start()) else html.escape(m[0]), text)
    page.made += [("dash", found) for found in DASH.findall(text)]
    for icon in ICONS:
        for match in re.finditer(re.escape(icon), text):
            if not _word(text[match.end() : match.end() + 1]):
                page.made.append(("emoticon", icon))
    page.made += [("image", text[a:b]) for a, b in _spans(text, "!", "!") if b - a > 6]
    for name, opened, closed in PHRASES:
        at, out = 0, ""
        for begin, end in _spans(text, opened, closed):
            content = text[begin + len(opened) : end - len(closed)]
            page.made.append((name, html.unescape(content)))
            out, at = out + text[at:begin] + f"\x03{content}\x04", end  # the tags
        text = out + text[at:]
    text = html.unescape(re.sub("[\x03\x04]", "", NEW_LINE.sub("\n", text)))
    return re.sub("\x01(\\d+)\x02", lambda m: links[int(m[1])], text)


def _spans(text, opened, closed):
    """Where phrases between these signs are."""
    found, at = [], 0
    while (begin := text.find(opened, at)) >= 0:
        before = text[begin - 1 : begin]
        end = None if _word(before) or before == "\\" else _phrase_end(text, begin + len(opened), opened[0], closed)
        if end is None:
            at = begin + 1
        else:
            found.append((begin, end))
            at = end
    return found


def _phrase_end(text, start, sign, closed):
    if start >= len(text) or text[start] in SPACE or text[start] == sign:
        return None
    for at in range(start + 1, len(text) + 1):
        last = text[at - 1]
        if (
            text.startswith(closed, at)
            and last != "\\"
            and (at - 1 == start or (last not in SPACE and last != closed[0]))
            and not _word(text[at + len(closed) : at + len(closed) + 1])
        ):
            return at + len(closed)
        if at < len(text) and (text.startswith(closed, at) or not _may_stand(text[at])):
            return None
    return None


def _word(char):
    return bool(char) and (char.isalpha() or char.isdecimal())


def _may_stand(char):
    return char in "\x01\x02\x03\x04" or unicodedata.category(char)[0] in "LZSMP" or char.isdecimal()
