"""The shapes of what Slack delivers: ids by their patterns, and what does not fit is a BadEvent. No I/O."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bots.errors import BadEvent
from bots.text import one_line

TeamId = Annotated[str, Field(pattern=r"^[TE][A-Z0-9_]{1,40}$")]
ChannelId = Annotated[str, Field(pattern=r"^[CDG][A-Z0-9_]{1,40}$")]
UserId = Annotated[str, Field(pattern=r"^[UW][A-Z0-9_]{1,40}$")]
Ts = Annotated[str, Field(pattern=r"^[0-9]{1,20}\.[0-9]{1,20}$")]
TriggerId = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,200}$")]
ResponseUrl = Annotated[str, Field(pattern=r"^https?://", max_length=2_000)]
JobId = Annotated[int, Field(gt=0, lt=2**63)]

BLANK_IS_NONE = BeforeValidator(lambda value: value or None)


class Foreign(BaseModel):
    """Something of Slack's; what it has beyond our fields is left."""

    model_config = ConfigDict(frozen=True)


M = TypeVar("M", bound=Foreign)


def parsed(model: type[M], found: Any, what: str) -> M:
    """Raises BadEvent, which names the fields that are wrong and not what they hold."""
    try:
        return model.model_validate(found)
    except ValidationError as e:
        where = ", ".join(sorted({".".join(map(str, error["loc"])) or "all of it" for error in e.errors()}))
        raise BadEvent(f"The delivery's {what} is not as Slack describes it: {one_line(where, 200)}.") from e
