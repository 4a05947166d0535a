"""One statement of SQL, read word by word."""

from collections.abc import Iterator, Sequence

from core.schema.sql_words import Word


class Words:
    """A statement, read from its beginning."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self._at = 0

    def next(self, ahead: int = 0) -> str:
        """The keyword that comes, in capitals; empty for what is none."""
        at = self._at + ahead
        return self._words[at].upper if at < len(self._words) else ""

    def has(self, ahead: int) -> bool:
        """Whether so many words come before another."""
        return self._at + ahead < len(self._words)

    def skip(self, *keywords: str) -> bool:
        """Past these keywords, if they come next."""
        if any(self.next(ahead) != keyword for ahead, keyword in enumerate(keywords)):
            return False
        self._at += len(keywords)
        return True

    def skip_any(self, *keywords: str) -> None:
        """Past as many of these as come."""
        while self.next() in keywords and self.next():
            self._at += 1

    def skip_condition(self) -> None:
        """Past IF EXISTS, IF NOT EXISTS."""
        self.skip("IF")
        self.skip("NOT")
        self.skip("EXISTS")

    def path(self) -> list[str]:
        """The parts of a dotted name that comes; none if none comes."""
        parts: list[str] = []
        while self._at < len(self._words) and self._words[self._at].kind in {"word", "name"}:
            parts.append(self._words[self._at].text)
            self._at += 1
            if not self.skip("."):
                break
        return parts

    def name(self) -> str:
        """A table's name that comes, with its schema where one is given; empty: none."""
        return ".".join(self.path()[-2:])

    def column(self) -> str:
        """A column's name that comes, without its table's; empty: none."""
        return "".join(self.path()[-1:])

    def names(self) -> Iterator[str]:
        """Names parted by commas."""
        while name := self.name():
            yield name
            if not self.skip(","):
                return

    def until(self, *keywords: str) -> str:
        """Past the next of these that stands outside parentheses: which it was; empty for none."""
        depth = 0
        while self._at < len(self._words):
            word = self._words[self._at].upper
            self._at += 1
            depth += (word == "(") - (word == ")")
            if depth <= 0 and word in keywords:
                return word
        return ""

    def group(self) -> list["Words"]:
        """What stands in the parentheses that come, parted at its commas; nothing if none come."""
        if self.next() != "(":
            return []
        start, depth = self._at, 0
        for at in range(start, len(self._words)):
            word = self._words[at].upper
            depth += (word == "(") - (word == ")")
            if depth == 0:
                self._at = at + 1
                return parted(self._words[start + 1 : at])
        self._at = len(self._words)
        return parted(self._words[start + 1 :])

    def rest(self) -> list["Words"]:
        """All that comes, parted at its commas."""
        return parted(self._words[self._at :])


def parted(words: Sequence[Word]) -> list[Words]:
    """At the commas that stand outside parentheses."""
    parts: list[list[Word]] = [[]]
    depth = 0
    for word in words:
        depth += (word.upper == "(") - (word.upper == ")")
        if word.upper == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return [Words(part) for part in parts if part]
