"""Settings of the commands that people write in comments on tickets and pages."""

from typing import Annotated, Literal, Self
from unicodedata import normalize

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from crosscheck.settings_finding import Section


def _composed(word: object) -> object:
    """One spelling for what looks the same, as `bots.command` compares words."""
    return normalize("NFC", word) if isinstance(word, str) else word


Word = Annotated[str, BeforeValidator(_composed), StringConstraints(pattern=r"^[^\W_]{1,40}(?:-[^\W_]{1,40}){0,4}$")]


class Commands(Section):
    review: tuple[Word, ...] = Field(
        ("qa-check",), min_length=1, description="Words, without #, that ask for a review."
    )
    ask: tuple[Word, ...] = Field(("ask",), description="Words that ask what follows them.")
    test_cases: tuple[Word, ...] = Field(("test-cases",), description="Words that ask for test cases.")
    form: Literal["xlsx", "csv", "gherkin", "testrail", "xray", "zephyr"] = Field(
        "xlsx", description="Kind of the file of test cases, where the comment names none."
    )
    groups: tuple[str, ...] = Field(
        (), description="Groups whose members may ask; none, and no roles: everybody who may comment."
    )
    roles: tuple[str, ...] = Field((), description="Roles in the ticket's project whose holders may ask.")
    cooldown_minutes: float = Field(
        0, ge=0, description="Minutes after a review in which the same ticket or page is not reviewed again."
    )
    queue: int = Field(
        10, ge=0, description="With so many requests waiting before it, a request is told its place; 0: never."
    )

    @model_validator(mode="after")
    def _apart(self) -> Self:
        words = [word.casefold() for word in self.words]
        if twice := [word for word in words if words.count(word) > 1]:
            raise ValueError(f"#{twice[0]} would ask for two things; each word asks for one")
        return self

    @property
    def words(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.review, *self.ask, *self.test_cases)
