"""Settings of the commands that people write in comments on tickets and pages."""

import re
from typing import Annotated, Literal, Self
from unicodedata import normalize

from pydantic import AfterValidator, Field, model_validator

from bots.text import one_line
from crosscheck.settings_finding import Section

_WORD = re.compile(r"[^\W_]{1,40}(?:-[^\W_]{1,40}){0,4}")


def _word(given: str) -> str:
    """One spelling for what looks the same, as `bots.command` compares words."""
    word = normalize("NFC", given.strip())
    if _WORD.fullmatch(word):
        return word
    shown, bare = one_line(given, 80), word.removeprefix("#")
    if _WORD.fullmatch(bare):
        raise ValueError(f"{shown!r}: leave out the #, write {bare!r}")
    raise ValueError(f"{shown!r} cannot be one: letters and digits, in up to five parts joined by -")


Word = Annotated[str, AfterValidator(_word)]


class Commands(Section):
    review: tuple[Word, ...] = Field(
        ("qa-check",), min_length=1, description="Words, without #, that ask for a review."
    )
    ask: tuple[Word, ...] = Field(("ask",), description="Words that ask what follows them; none: nobody can ask.")
    test_cases: tuple[Word, ...] = Field(
        ("test-cases",), description="Words that ask for test cases; none: nobody can."
    )
    form: Literal["xlsx", "csv", "gherkin", "testrail", "xray", "zephyr"] = Field(
        "xlsx", description="Kind of the file of test cases, where the comment names none."
    )
    groups: tuple[str, ...] = Field(
        (),
        description="Groups whose members may ask; none, and no roles: everybody who may comment.",
    )
    roles: tuple[str, ...] = Field(
        (),
        description="Roles in the ticket's project whose holders may ask. Pages have none: there it takes a group.",
    )
    cooldown_minutes: float = Field(
        0, ge=0, description="Minutes after a review in which the same ticket or page is not reviewed again."
    )
    queue: int = Field(
        10, ge=0, description="With so many requests waiting before it, a request is told its place; 0: never."
    )

    @model_validator(mode="after")
    def _apart(self) -> Self:
        for chosen in (self.review, self.ask, self.test_cases):
            same = [word.casefold() for word in chosen]
            if twice := [word for word in same if same.count(word) > 1]:
                raise ValueError(f"#{twice[0]} is written twice")
        words = [word.casefold() for word in self.words]
        if twice := [word for word in words if words.count(word) > 1]:
            raise ValueError(f"#{twice[0]} would ask for two things; each word asks for one")
        return self

    @property
    def words(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.review, *self.ask, *self.test_cases)
