"""Describes pictures by a model that can see. Fits `core.pictures.Describer`."""

from functools import cached_property
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, Field
from pydantic_ai import Agent, BinaryContent, ToolOutput, UsageLimits
from pydantic_ai.exceptions import (
    AgentRunError,
    FallbackExceptionGroup,
    ModelAPIError,
    ModelAuthenticationError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelRequestRejectedError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from core.errors import DescriberUnavailable, PictureNotRead
from core.parsing.diagrams.graph import Arrow, Edge, Graph, Group, Node
from core.parsing.markdown import clean, one_line
from core.pictures import Description
from review.agents import loop
from review.agents.guarded import GuardedModel

_EDITION = 1
"""Raised when the instructions or the rendering change, so that pictures are described anew."""

_ARROWS: dict[str, Arrow] = {"forward": "->", "both": "<->", "none": "-"}


class Entity(BaseModel):
    """Something that the picture names."""

    name: str
    group: str = ""
    details: list[str] = Field(default_factory=list)


class Relation(BaseModel):
    """An arrow or a line."""

    source: str
    target: str
    label: str = ""
    direction: Literal["forward", "both", "none"] = "forward"


class Seen(BaseModel):
    """What the model saw. A stranger's picture shaped it, hence pydantic."""

    shows: str
    layout: str = ""
    entities: list[Entity] = Field(default_factory=list)
    relations: list[Relation] = Field(default_factory=list)
    text: list[str] = Field(default_factory=list)
    unreadable: str = ""


class VisionDescriber:
    """Shows pictures to one model. Threads may share it."""

    def __init__(self, model: Model, *, answer_tokens: int = 3_000, seconds: float = 90) -> None:
        self.name = f"{model.system}:{model.model_name}#{_EDITION}"
        self._model = GuardedModel(model)
        self._answer_tokens = answer_tokens
        self._seconds = seconds

    def describe(self, data: bytes, media_type: str) -> Description:
        """What is in the picture. Raises PictureNotRead and DescriberUnavailable."""
        usage = RunUsage()
        try:
            seen = loop.run(self._run(BinaryContent(data, media_type=media_type), usage), self._seconds)
        except (AgentRunError, FallbackExceptionGroup, TimeoutError) as error:
            raise _failed(error, usage.total_tokens) from error
        return Description(rendered(seen), usage.total_tokens)

    async def _run(self, picture: BinaryContent, usage: RunUsage) -> Seen:
        async with self._model:
            return (await self._agent.run([picture], usage=usage, usage_limits=UsageLimits(request_limit=2))).output

    @cached_property
    def _agent(self) -> Agent[object, Seen]:
        return Agent(
            self._model,
            output_type=ToolOutput(Seen, description="Gives the description. Ends the work."),
            instructions=files("review.prompts").joinpath("picture.md").read_text("utf-8"),
            model_settings=ModelSettings(request_timeout=self._seconds, max_tokens=self._answer_tokens),
            retries=1,
            name="describer",
        )


def rendered(seen: Seen) -> str:
    """The description in lines: what it shows, its layout, its graph as any other diagram's, its texts."""
    lines = [_line("", seen.shows), _line("Layout: ", seen.layout), _graph(seen).text()]
    lines += [_line("Text: ", text) for text in seen.text]
    lines += [_line("Cannot be made out: ", seen.unreadable)]
    return "\n".join(line for line in lines if line) or "nothing that can be put into words"


def _line(start: str, text: str) -> str:
    text = _tidy(text)
    return start + text if text else ""


def _graph(seen: Seen) -> Graph:
    """Entities are told apart by their names, and what only a relation names is one too."""
    named = {_tidy(entity.name): entity for entity in seen.entities}
    for relation in seen.relations:
        for end in map(_tidy, (relation.source, relation.target)):
            named.setdefault(end, Entity(name=end))
    named.pop("", None)
    groups = dict.fromkeys(_tidy(entity.group) for entity in named.values() if _tidy(entity.group))
    return Graph(
        nodes=tuple(
            Node(name, name, f"group {_tidy(entity.group)}", tuple(entity.details)) for name, entity in named.items()
        ),
        edges=tuple(
            Edge(_tidy(one.source) or None, _tidy(one.target) or None, one.label, _ARROWS[one.direction])
            for one in seen.relations
        ),
        groups=tuple(Group(f"group {name}", name) for name in groups),
    )


def _tidy(text: str) -> str:
    return one_line(clean(text))


def _failed(error: Exception, tokens: int) -> PictureNotRead | DescriberUnavailable:
    """The picture's own failure, or the model's. Nothing of a provider's message, which may hold parts of a request."""
    unavailable = DescriberUnavailable(
        "The model for pictures does not answer.", retry_after=getattr(error, "retry_after", None)
    )
    match error:
        case ModelAuthenticationError() | ModelNotFoundError():
            return unavailable
        case ModelRequestRejectedError() | ModelHTTPError(status_code=413 | 415):
            return PictureNotRead("the model's provider refused it", tokens=tokens)
        case ModelAPIError():
            return unavailable
        case UnexpectedModelBehavior() | UsageLimitExceeded():
            return PictureNotRead("the model did not describe it in the form that was asked for", tokens=tokens)
        case _:
            return unavailable
