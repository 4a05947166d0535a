"""SQL cut into words, of any dialect, in a time that grows as its length. What is no SQL is cut into something too."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["word", "name", "text", "body", "mark"]

_DOLLARS = re.compile(r"\$(?:[A-Za-z_]\w*)?\$")
_DELIMITER = re.compile(r"DELIMITER[ \t]++([^\w\s]{1,16}+)[ \t]*+(?=\n|\r|\Z)", re.IGNORECASE)
_WORD = re.compile(
    r"""
      (?P<space> \s++ )
    | (?P<comment> -- [^\n]*+ | (?m:^) \# [^\n]*+ )
    | (?P<text> [EeNnBbXx]?+ ' )
    | " (?P<quoted> (?: [^"] | "" )*+ ) (?: " | \Z )
    | ` (?P<ticked> (?: [^`] | `` )*+ ) (?: ` | \Z )
    | (?<![\w\])]) \[ (?P<bracketed> [A-Za-z_] [\w\ ]{0,127} ) \]
    | (?P<word> \w [\w$]*+ )
    | (?P<mark> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN_END = re.compile(r"(?:[^']|'')*+(?:'|\Z)")
_ESCAPED_END = re.compile(r"(?:[^'\\]|''|\\.)*+(?:'|\Z)", re.DOTALL)
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_EXECUTED = re.compile(r"/\*M?!\d*+")


@dataclass(frozen=True, slots=True)
class Word:
    kind: Kind
    """`word`: a keyword or a name without quotes; `name`: one in quotes; `body`: what stands between `$$`."""
    text: str
    """Without quotes."""

    @property
    def upper(self) -> str:
        """Of a keyword; empty for everything that can be none."""
        return self.text.upper() if self.kind in {"word", "mark"} else ""


def statements(sql: str, *, backslashes: bool) -> Iterator[list[Word]]:
    """The statements of a script, without what ends them. `backslashes` escape in all texts, as in MySQL's."""
    statement: list[Word] = []
    depth = 0  # of BEGIN ... END in a routine
    for word in _words(sql, backslashes):
        if word.kind == "mark" and word.text == ";" and not depth:
            if statement:
                yield statement
            statement = []
            continue
        depth = _depth(statement, word, depth)
        statement.append(word)
    if statement:
        yield statement


def _depth(statement: list[Word], word: Word, depth: int) -> int:
    """How many blocks of a routine are open after a word. Outside a routine, BEGIN begins a transaction."""
    if not depth and not (word.upper == "BEGIN" and _is_routine(statement)):
        return 0
    after_end = bool(statement) and statement[-1].upper == "END"  # END IF, END LOOP
    if word.upper in {"BEGIN", "CASE"} and not after_end:
        return depth + 1
    if word.upper in {"IF", "LOOP", "REPEAT", "WHILE"} and after_end:
        return depth + 1  # what END closed was not counted when it was opened
    return depth - (word.upper == "END")


def _is_routine(statement: list[Word]) -> bool:
    if not statement or statement[0].upper != "CREATE":
        return False
    return any(word.upper in {"TRIGGER", "FUNCTION", "PROCEDURE", "EVENT"} for word in statement[1:12])


def _words(sql: str, backslashes: bool) -> Iterator[Word]:
    at, end = 0, len(sql)
    delimiter = ";"
    while at < end:
        if delimiter != ";" and sql.startswith(delimiter, at):
            yield Word("mark", ";")
            at += len(delimiter)
        elif sql[at] == "/" and sql.startswith("/*", at):
            executed = _EXECUTED.match(sql, at)  # MySQL runs what stands in such a comment
            at = executed.end() if executed else _after_comment(sql, at, nested=not backslashes)
        elif sql[at] in "dD" and (changed := _DELIMITER.match(sql, at)):
            delimiter, at = changed[1], changed.end()
        elif sql[at] == "$" and (dollars := _DOLLARS.match(sql, at)):
            close = sql.find(dollars[0], dollars.end())
            yield Word("body", sql[dollars.end() : close if close >= 0 else end])
            at = close + len(dollars[0]) if close >= 0 else end
        else:
            word, at = _word(sql, at, backslashes)
            if word is not None and not (delimiter != ";" and word.text == ";"):
                yield word


def _word(sql: str, at: int, backslashes: bool) -> tuple[Word | None, int]:
    match = _WORD.match(sql, at)
    if match is None or match["space"] or match["comment"]:
        return None, match.end() if match else at + 1
    if match["text"]:
        escaped = backslashes or match["text"][0] in "Ee"
        close = (_ESCAPED_END if escaped else _PLAIN_END).match(sql, match.end())
        stop = close.end() if close else len(sql)
        return Word("text", sql[match.end() : stop].removesuffix("'")), stop
    for quotes in ("quoted", "ticked", "bracketed"):
        if (name := match[quotes]) is not None:
            return Word("name", name.replace('""', '"').replace("``", "`")), match.end()
    return Word("word" if match["word"] else "mark", match[0]), match.end()


def _after_comment(sql: str, at: int, *, nested: bool) -> int:
    """Behind a comment, with those inside it."""
    if not nested:
        close = sql.find("*/", at + 2)
        return close + 2 if close >= 0 else len(sql)
    depth = 0
    for edge in _COMMENT_EDGE.finditer(sql, at):
        depth += 1 if edge[0] == "/*" else -1
        if depth == 0:
            return edge.end()
    return len(sql)
