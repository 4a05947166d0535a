"""What a platform answers, read as it is described. No I/O."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bots.errors import BotError, Unavailable

M = TypeVar("M", bound=BaseModel)


def as_described(platform: str, model: type[M], payload: Any, what: str, error: type[BotError] = Unavailable) -> M:
    """A platform's answer about something, or the error that says which fields are wrong."""
    try:
        return model.model_validate(payload)
    except ValidationError as e:
        # Without its cause: the validator's own text quotes what it was given.
        raise error(f"{platform}'s answer about {what} is not as it is described: {fields(e)}") from None


def fields(error: ValidationError) -> str:
    """The names of those that are wrong."""
    wrong = {".".join(map(str, one["loc"])) or "all of it" for one in error.errors()}
    return ", ".join(sorted(wrong))[:200]
