"""What Jira Cloud answers, as far as the bot reads it (REST v3). No I/O."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from bots.types import Visibility

# Project types whose tickets nobody outside the company can see. A type that is missing or not known yet is taken for
# one with customers, where less may be said.
_WITHOUT_CUSTOMERS = frozenset({"software", "business", "product_discovery"})


class Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, coerce_numbers_to_str=True, frozen=True)


class Person(Answer):
    account_id: str = ""
    display_name: str = ""


class Myself(Answer):
    account_id: str = Field(min_length=1)


class Property(Answer):
    key: str
    value: Any = None


class Comment(Answer):
    id: str = Field(pattern=r"^[0-9]{1,19}$")
    created: AwareDatetime
    author: Person | None = None
    body: Any = None
    visibility: dict[str, Any] | None = None
    jsd_public: bool | None = None
    properties: tuple[Property, ...] = ()

    @property
    def author_id(self) -> str:
        """Account id; empty for a comment without an author."""
        return self.author.account_id if self.author else ""

    def shown_to(self, *, customers: bool) -> Visibility:
        """`jsdPublic` means something only where there are customers; it is true or absent elsewhere."""
        return Visibility(self.visibility or None, internal=customers and self.jsd_public is False)

    def value_of(self, key: str) -> Mapping[str, Any]:
        """An object kept as a comment property; empty when there is none."""
        values = (held.value for held in self.properties if held.key == key)
        return next((value for value in values if isinstance(value, Mapping)), {})


class Comments(Answer):
    """A page of a ticket's comments."""

    comments: tuple[Comment, ...]
    total: int


class ListedComments(Answer):
    """Comments looked up by id; those that are gone are missing."""

    values: tuple[Comment, ...]
    is_last: bool = True


class Project(Answer):
    key: str
    project_type_key: str | None = None


class Security(Answer):
    id: str


class Fields(Answer):
    project: Project
    security: Security | None = None


class Ticket(Answer):
    id: str
    key: str
    fields: Fields

    @property
    def customers(self) -> bool:
        return self.fields.project.project_type_key not in _WITHOUT_CUSTOMERS


class Found(Answer):
    """A ticket in a search's result."""

    id: str
    key: str


class SearchPage(Answer):
    issues: tuple[Found, ...]
    next_page_token: str | None = None


class ServerInfo(Answer):
    server_time: AwareDatetime | None = None


class Permission(Answer):
    have_permission: bool


class Permissions(Answer):
    permissions: dict[str, Permission]


def moment(at: datetime) -> int:
    """Milliseconds since 1970, as JQL takes them."""
    return int(at.timestamp() * 1000)
