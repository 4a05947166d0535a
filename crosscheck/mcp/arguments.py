"""What each tool takes. These descriptions are read by the models that call."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from crosscheck.mcp.errors import BadArguments
from crosscheck.mcp.quoting import inline, sentence

PLAN = 60_000
"""Characters of a plan."""
_ERRORS = 5  # that are told of one call

Name = Annotated[str, StringConstraints(max_length=300)]
Names = Annotated[list[Name], Field(max_length=30)]
Line = Annotated[str, StringConstraints(max_length=2_000)]


class Arguments(BaseModel):
    """Empty text means: not given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cursor: str = Field("", max_length=200, description="Of the answer to go on from; all else the same.")

    def call(self) -> dict[str, Any]:
        """All that the cursor of an answer is bound to."""
        return self.model_dump(exclude={"cursor"})


class Search(Arguments):
    text: str = Field(min_length=1, max_length=4_000, description="What to find, in words or exact names.")
    variants: Annotated[list[Line], Field(max_length=4)] = Field([], description="Other wordings of the same question.")
    sources: Names = Field([], description="Only these sources; `freshness` lists their names.")
    repositories: Names = Field([], description="Only these repositories.")
    path: Name = Field("", description="Only paths that match this glob, such as src/*.py.")
    languages: Names = Field([], description="Only code in these languages, such as python.")
    branch: Name = Field("", description="A branch in development. Not given: each repository's baseline.")
    as_of: str = Field("", max_length=40, description="As things were at a date, such as 2026-03-31.")
    kinds: Annotated[
        list[Literal["ticket", "comment", "history", "page", "attachment", "file", "code", "commit", "qa"]],
        Field(max_length=9),
    ] = Field([], description="Only these kinds of sources; qa are test cases and their runs.")
    limit: int = Field(10, ge=1, le=50, description="Results at most.")


class Lookup(Arguments):
    key: str = Field(
        min_length=1,
        max_length=2_000,
        description="A ticket key, symbol, path, commit id, or an error text as it was printed.",
    )
    limit: int = Field(10, ge=1, le=50, description="Results at most.")


class OpenSource(Arguments):
    source: str = Field(min_length=1, max_length=1_000, description="The id from another answer, or a ticket key.")
    ref: Name = Field("", description="For a file: a branch, tag or commit. Not given: the baseline.")
    start: int = Field(0, ge=0, le=100_000_000, description="First character, to begin further down.")


class CheckPlan(Arguments):
    plan: str = Field(
        min_length=1,
        max_length=PLAN,
        description="Your plan as text or as a diff: what you are going to change, and how.",
    )
    repository: Name = Field("", description="The repository that it changes.")
    branch: Name = Field("", description="The branch that it changes. Not given: the baseline.")


class Consumers(Arguments):
    name: Line = Field(
        min_length=1,
        description="What is used: hold_minutes, Booking.hold, /v1/bookings/{id}, booking.held, bookings.hold_until.",
    )
    kind: Literal["", "symbol", "route", "event", "config", "table", "column"] = Field(
        "", description="What the name is, where it could be more than one thing; config is a key of it."
    )
    repositories: Names = Field([], description="Only users in these repositories.")
    branches: Names = Field([], description="Branches in development to look at besides the baselines.")
    limit: int = Field(30, ge=1, le=100, description="Users at most.")


class DeployedState(Arguments):
    environment: Name = Field("", description="Only this environment, such as staging.")
    repository: Name = Field("", description="Only this repository. Needed with commit and pull.")
    commit: Name = Field("", description="Is this commit there?")
    pull: int = Field(0, ge=0, le=10**9, description="Is the work of this pull request there? 0: not asked.")
    ticket: Name = Field("", description="Is the work of this ticket there?")


class SchemaHistory(Arguments):
    database: Name = Field("", description="Only this database, by its name in the settings.")
    table: Name = Field("", description="Only migrations that touch this table.")
    column: Name = Field("", description="Only migrations that touch this column of the table.")
    state: Literal["", "applied", "pending", "failed", "edited", "out of order", "not in Git", "unknown"] = Field(
        "", description="Only migrations in this state; edited: its file was changed after it was applied."
    )


class Freshness(Arguments):
    """Nothing but where to go on."""


Kind = TypeVar("Kind", bound=Arguments)


def read(kind: type[Kind], given: Mapping[str, Any]) -> Kind:
    """Raises BadArguments, which names what is wrong and repeats no value."""
    try:
        return kind.model_validate(dict(given))
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False, include_input=False)
        said = "; ".join(f"{_place(one['loc'])}: {_reason(one)}" for one in wrong[:_ERRORS])
        more = f"; and {len(wrong) - _ERRORS} more" if len(wrong) > _ERRORS else ""
        raise BadArguments(
            f"Wrong arguments. {said}{more}. Call again with arguments as the tool's schema says."
        ) from error


def schema(kind: type[Arguments]) -> dict[str, Any]:
    """The JSON schema, as short as it can be: models read it before every conversation."""
    whole = kind.model_json_schema()
    arguments = {name: _short(one) for name, one in whole["properties"].items()}
    arguments["cursor"] = arguments.pop("cursor")  # the last to be thought of
    required = {"required": whole["required"]} if "required" in whole else {}
    return {"type": "object", "properties": arguments, **required, "additionalProperties": False}


def _short(argument: Mapping[str, Any]) -> dict[str, Any]:
    """Without the title that pydantic makes of the name, and the default, which is said or empty."""
    return {key: value for key, value in argument.items() if key != "title" and (key != "default" or value)}


def _place(steps: Iterable[str | int]) -> str:
    return inline(".".join(str(step) for step in steps), 60)


def _reason(one: ErrorDetails) -> str:
    if one["type"] == "extra_forbidden":
        return "there is no such argument"
    return sentence(one["msg"], 120)
