"""Other numbers for the same company: what was equal stays equal, what was more stays more, 24 hours stay 1 day."""

import re
from random import Random

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_TIME = "seconds?|minutes?|hours?|days?|weeks?|months?|years?"
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_VALUES = {
    **{word: at for at, word in enumerate(_WORDS, start=2)},
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
}
_NAMES = {value: word for word, value in _VALUES.items()}

_PROSE = re.compile(
    # Dates, times of day, versions, HTTP statuses and the numbers of a list stay.
    rf"\d{{4}}-\d\d-\d\d|\d+:\d\d|\d+\.\d+[\d.]*|\b20\d\d\b|\b\d+ (?:{_MONTHS})\b|HTTP \d+|(?m:^\d+\. )"
    rf"|(?<![\w.,:-])(?P<number>\d+|(?i:{'|'.join(_VALUES)}))(?!\w)(?P<gap>[ -](?:working )?|\n)?"
    rf"(?:(?P<time>{_TIME})\b|(?P<size>KB|MB|GB)\b)?"
)
_CONSTANT = re.compile(r"(?P<name>\b[A-Z]+(?:_[A-Z]+)*) = (?P<number>\d+)(?P<size>(?: \* 1024)+)?(?![\w.]| \*)")
_LAST = 500


class Quantities:
    """A random mapping of numbers. Times and sizes are multiplied by a factor each, which keeps conversions true;
    counts grow by a random amount that never falls.
    """

    def __init__(self, random: Random) -> None:
        self._time, self._size = random.sample(range(2, 8), 2)
        self._counts = [0, random.randint(2, 3)]
        while len(self._counts) <= _LAST:
            self._counts.append(self._counts[-1] + random.randint(1, 3))

    def prose(self, text: str) -> str:
        return _PROSE.sub(self._in_prose, text)

    def code(self, text: str) -> str:
        """Only what constants are set to; their names tell the unit."""
        return _CONSTANT.sub(self._in_code, text)

    def count(self, number: int) -> int:
        beyond = max(0, number - _LAST)
        return self._counts[number - beyond] + 3 * beyond

    def _in_prose(self, match: re.Match[str]) -> str:
        number, gap, time, size = (match[name] or "" for name in ("number", "gap", "time", "size"))
        if not number:
            return match[0]
        old = _VALUES.get(number.lower()) or int(number)
        new = old * self._time if time else old * self._size if size else self.count(old)
        said = str(new) if number.isdecimal() else _NAMES.get(new, str(new))
        if number[0].isupper():
            said = said.capitalize()
        return said + gap + time + size + ("s" if time and not time.endswith("s") and "-" not in gap else "")

    def _in_code(self, match: re.Match[str]) -> str:
        old, name, size = int(match["number"]), match["name"], match["size"] or ""
        in_time = re.search(rf"(?:^|_)(?:{_TIME})$", name, re.IGNORECASE)
        new = old * self._time if in_time else old * self._size if size else self.count(old)
        return f"{name} = {new}{size}"
