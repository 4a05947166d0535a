"""Jira's wiki markup to Markdown. No text is lost: a macro that is not known, a bracket that is no link and a brace
that opens nothing stay as they were written. Emphasis and colour are dropped, since they would break quotations and
words; struck-out text stays marked.

What could be taken for markup inside is put aside first (code, links, pictures, addresses, escapes), each for a mark;
then lines become blocks, and the marks what they stand for.

Notation: https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from core.parsing import markdown

_DEEPEST = 16  # panels in quotes in panels; below, the text alone
_MARK = re.compile("\x00([0-9]+)\x01")
_VERBATIM = re.compile(r"\{(code|noformat)(?::([^}\n]{0,200}))?\}")
_COLOR = re.compile(r"\{color(:[^}\n]{1,40})?\}")
_FRAME = re.compile(r"\{(quote|panel|info|note|tip|warning|expand|details)(?::([^}\n]{0,200}))?\}")
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_TARGET = re.compile(r"[a-z][a-z0-9+.-]*:\S|/|\\\\|#|www\.")
_MENTION = re.compile(r"\[~(?:accountid:)?([^\]\s|]{1,128})\]")
_ASIDE = re.compile(
    r"\{\{(?P<mono>[^\n]{1,500}?)\}\}(?!\})"
    r"|\[(?P<link>[^\]\[\n]{1,2000})\]"
    r"|!(?P<image>[^\s!|][^!|\n]{0,500}\.\w{1,8})(?:\|[^!\n]{0,200})?!"
    r"|(?P<address>\b[a-z][a-z0-9+.-]{1,20}://[^\s|\[\]{}<>\"]{1,2000})"
    r"|(?P<anchor>\{anchor:[^}\n]{0,200}\})"
    r"|(?P<unc>(?<![^\s\"'(])\\\\(?=\w)[^\s|]{1,500})"
    r"|(?P<newline>\\\\)"
    r"|\\(?P<escaped>[{}\[\]*_+^~?!|#-])"
)


def _around(sign: str) -> re.Pattern[str]:
    """Words between two signs that touch them, and stand apart from the words around: `a_b_c` is a name."""
    one, signs = re.escape(sign[0]), re.escape("*_+-".replace(sign[0], ""))
    before = rf"(?<![^\s(\[{{\"'>,:;|\x01{signs}])"
    after = rf"(?![^\s.,;:!?)\]}}\"'|\x00{signs}])"
    return re.compile(rf"{before}{re.escape(sign)}(?![\s{one}])([^\n{one}]{{1,500}})(?<!\s){re.escape(sign)}{after}")


_EMPHASIS = [(_around(sign), r"\1") for sign in ("*", "??", "_", "+", "~")]
_EMPHASIS += [(_around("^"), r"^\1"), (_around("-"), r"~~\1~~")]
_HEADING = re.compile(r"\s*h([1-6])\.\s+(.*)")
_QUOTE = re.compile(r"\s*bq\.\s+(.*)")
_RULE = re.compile(r"\s*-{4,5}\s*")
_ITEM = re.compile(r"\s*([*#]{1,30}-?|-)\s+(\S.*)")
_Read = Callable[[Sequence[str], int, int], tuple[int, str]]
"""Reads a block from a line on, at most to another: where the next one starts, and its Markdown."""


def to_markdown(text: str, called: Callable[[str], str] = str) -> str:
    """The text as Markdown; any string is some text. `called` says what a person is called whose user name it has."""
    return _Reader(called).read(markdown.clean(text))


def mentions(text: str) -> tuple[str, ...]:
    """Whom it mentions: account ids or user names, in order, each once."""
    return tuple(dict.fromkeys(_MENTION.findall(text)))


class _Reader:
    """Keeps what was put aside."""

    def __init__(self, called: Callable[[str], str]) -> None:
        self._kept: list[str] = []
        self._called = called

    def read(self, text: str) -> str:
        text = _uncoloured(self._verbatim(text))
        text = _ASIDE.sub(self._aside, text)
        text = _FRAME.sub(lambda tag: f"\n{tag[0]}\n", text)
        return markdown.join(self._blocks(text.split("\n"), 0)).strip()

    def _keep(self, text: str) -> str:
        self._kept.append(text)
        return f"\x00{len(self._kept) - 1}\x01"

    def _verbatim(self, text: str) -> str:
        """The text with each closed piece of code put aside on a line of its own."""
        tags = list(_VERBATIM.finditer(text))
        last = {tag[1]: at for at, tag in enumerate(tags) if tag[2] is None}
        out, done, at = [], 0, 0
        while at < len(tags):
            tag = tags[at]
            if at >= last.get(tag[1], 0):  # nothing closes it
                at += 1
                continue
            at = next(n for n in range(at + 1, len(tags)) if tags[n][1] == tag[1] and tags[n][2] is None)
            code = _code(text[tag.end() : tags[at].start()], tag[2] or "")
            out += [text[done : tag.start()].rstrip(" ").removesuffix("\n"), f"\n{self._keep(code)}\n"]
            done, at = tags[at].end(), at + 1
            done += text.startswith("\n", done)
        return "".join([*out, text[done:]])

    def _aside(self, found: re.Match[str]) -> str:
        match found.lastgroup:
            case "link":
                shown = _link(found["link"], self._called)
                return found[0] if shown is None else self._keep(self._restored(shown))
            case "mono":
                return self._keep(markdown.code_span(found["mono"].strip() or " "))
            case "image":
                return self._keep(_image(found["image"]))
            case "anchor":
                return ""
            case "newline":
                return self._keep("\n")
            case "escaped":
                return self._keep(found["escaped"])
            case _:
                return self._keep(found[0])

    def _inline(self, text: str) -> str:
        """A line or a cell, with everything in its place again."""
        for pattern, shown in _EMPHASIS:
            text = pattern.sub(shown, text)
        return self._restored(text).strip()

    def _restored(self, text: str) -> str:
        return _MARK.sub(lambda mark: self._kept[int(mark[1])], text)

    def _blocks(self, lines: Sequence[str], depth: int) -> Iterator[str]:
        frames = _frames(lines) if depth < _DEEPEST else {}
        ends = _ends(lines, frames)
        at = 0
        while at < len(lines):
            if at in frames:
                tag, end = frames[at]
                yield _framed(tag, markdown.join(self._blocks(lines[at + 1 : end], depth + 1)))
                at = end + 1
            elif lines[at].strip():
                read = next((read for starts, read in self._kinds() if starts(lines[at])), self._paragraph)
                at, block = read(lines, at, ends[at])
                yield block
            else:
                at += 1

    def _kinds(self) -> Sequence[tuple[Callable[[str], object], _Read]]:
        return (
            (_HEADING.fullmatch, self._heading),
            (_QUOTE.fullmatch, self._quote),
            (_RULE.fullmatch, lambda _lines, at, _end: (at + 1, "---")),
            (_ITEM.fullmatch, self._list),
            (_is_row, self._table),
        )

    def _starts(self, line: str) -> bool:
        return any(starts(line) for starts, _ in self._kinds())

    def _heading(self, lines: Sequence[str], at: int, _end: int) -> tuple[int, str]:
        line = lines[at].lstrip()
        return at + 1, markdown.heading(int(line[1]), self._inline(line[3:]))

    def _quote(self, lines: Sequence[str], at: int, _end: int) -> tuple[int, str]:
        return at + 1, markdown.quote(self._inline(lines[at].lstrip()[3:]))

    def _paragraph(self, lines: Sequence[str], at: int, end: int) -> tuple[int, str]:
        stop = next((n for n in range(at + 1, end) if self._starts(lines[n])), end)
        return stop, "\n".join(map(self._inline, lines[at:stop]))

    def _table(self, lines: Sequence[str], at: int, end: int) -> tuple[int, str]:
        """Rows; one goes on over its lines until one of them ends in a bar or the next row starts."""
        rows: list[list[str]] = []
        while at < end and _is_row(lines[at]):
            stop = at + 1
            while not lines[stop - 1].rstrip().endswith("|") and stop < end and not _is_row(lines[stop]):
                stop += 1
            cells = re.split(r"\|\|?", "\n".join(lines[at:stop]).strip().strip("|"))
            rows.append([self._inline(cell) for cell in cells])
            at = stop
        return at, markdown.table(rows)

    def _list(self, lines: Sequence[str], at: int, end: int) -> tuple[int, str]:
        """Items with what follows them, until another kind of block starts."""
        found: list[tuple[str, list[str]]] = []
        while at < end:
            item = _ITEM.fullmatch(lines[at])
            if item:
                found.append((item[1], [self._inline(item[2])]))
            elif self._starts(lines[at]):
                break
            else:
                found[-1][1].append(self._inline(lines[at]))
            at += 1
        return at, _items(found)


def _items(found: Sequence[tuple[str, list[str]]]) -> str:
    """Items by their bullets (`*`, `**`, `*#`), each under the one that it is nested in."""
    lines: list[str] = []
    open_levels: list[tuple[str, int]] = []  # bullet as far as this level, number of its latest item
    for bullets, text in found:
        while open_levels and not _continues(open_levels, bullets):
            open_levels.pop()
        if len(open_levels) == len(bullets):
            open_levels[-1] = (bullets, open_levels[-1][1] + 1)
        else:
            open_levels.append((bullets, 1))
        indent = " " * sum(3 if level[-1] == "#" else 2 for level, _ in open_levels[:-1])
        marker = f"{open_levels[-1][1]}." if bullets[-1] == "#" else "-"
        lines.append(indent + markdown.item(marker, text).replace("\n", "\n" + indent))
    return "\n".join(lines)


def _continues(levels: Sequence[tuple[str, int]], bullets: str) -> bool:
    """Whether an item stands beside the latest one, or in it."""
    latest = levels[-1][0]
    return latest == bullets or (len(latest) < len(bullets) and bullets.startswith(latest))


def _ends(lines: Sequence[str], frames: Mapping[int, object]) -> Sequence[int]:
    """For each line, where the lines that stand together with it end."""
    ends, end = [0] * len(lines), len(lines)
    for at in range(len(lines) - 1, -1, -1):
        ends[at] = end
        if at in frames or not lines[at].strip():
            end = at
    return ends


def _uncoloured(text: str) -> str:
    """Without the colours; a closing tag that closes nothing may be anybody's `{color}`."""
    opened = 0

    def tag(found: re.Match[str]) -> str:
        nonlocal opened
        if not found[1] and not opened:
            return found[0]
        opened += 1 if found[1] else -1
        return ""

    return _COLOR.sub(tag, text)


def _frames(lines: Sequence[str]) -> dict[int, tuple[re.Match[str], int]]:
    """Line numbers at which a frame opens, with its tag and the line that closes it."""
    tags = {at: tag for at, line in enumerate(lines) if (tag := _FRAME.fullmatch(line))}
    closing: dict[str, list[int]] = {}
    for at, tag in tags.items():
        if tag[2] is None:
            closing.setdefault(tag[1], []).append(at)
    found: dict[int, tuple[re.Match[str], int]] = {}
    after = -1
    for at, tag in tags.items():
        ends = closing.get(tag[1], [])
        place = bisect_right(ends, at)
        if at > after and place < len(ends):
            found[at] = (tag, ends[place])
            after = ends[place]
    return found


def _framed(tag: re.Match[str], text: str) -> str:
    if tag[1] == "quote":
        return markdown.quote(text) if text else ""
    title = next((value for name, value in _parameters(tag[2] or "") if name in {"title", ""}), "")
    if tag[1] in {"expand", "details"}:
        return markdown.join([title, text])
    return f"[{tag[1]}{': ' if title else ''}{title}]\n{text}"


def _code(code: str, parameters: str) -> str:
    given = dict(_parameters(parameters))
    language = given.get("", "")
    block = markdown.fence(code.strip("\n"), language if _LANGUAGE.fullmatch(language) else "")
    return f"{given['title']}\n{block}" if given.get("title") else block


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    """`java|title=A.java` as names and values; the one without a name comes under ""."""
    for one in text.split("|"):
        name, sign, value = one.partition("=")
        yield (name.strip(), value.strip()) if sign else ("", one.strip())


def _link(text: str, called: Callable[[str], str]) -> str | None:
    """What a bracket shows, or None when it is no link."""
    parts = text.split("|")
    target = parts[1 if len(parts) > 1 else 0].strip()
    if target.startswith("~"):
        name = target[1:]
        return f"@{'someone' if name.startswith('accountid:') else called(name)}"
    shown, sign, name = text.rpartition("^")
    if sign and "|" not in name:
        return " ".join(part for part in (shown.strip("| "), f"[file: {name}]") if part)
    if not _TARGET.match(target):
        return None
    return markdown.link(parts[0].strip(), target) if len(parts) > 1 else target


def _image(name: str) -> str:
    return name if "://" in name else f"[image: {name}]"


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|") and len(line.strip()) > 1
