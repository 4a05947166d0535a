"""What Jira answers, Cloud and Data Center, as far as the bot reads it. No I/O."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from bots.answers import as_described
from bots.errors import BotError, Unavailable
from bots.types import Visibility

INTERNAL = "sd.public.comment"
"""The service desk's own property of a comment; `{"internal": true}` hides it from customers."""

# Project types whose tickets nobody outside the company can see. A type that is missing or not known yet is taken for
# one with customers, where less may be said.
_WITHOUT_CUSTOMERS = frozenset({"software", "business", "product_discovery"})


class Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, coerce_numbers_to_str=True, frozen=True)


class Person(Answer):
    account_id: str = ""
    key: str = ""
    name: str = ""
    display_name: str = ""

    @property
    def id(self) -> str:
        """Cloud's account id; Data Center's key, which outlives a change of the name. Empty for nobody."""
        return self.account_id or self.key or self.name


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
        """Empty for a comment without an author."""
        return self.author.id if self.author else ""

    def shown_to(self, *, customers: bool) -> Visibility:
        """Internal means something only where there are customers. Where nothing tells, customers see it."""
        internal = self.value_of(INTERNAL).get("internal") is True if self.jsd_public is None else not self.jsd_public
        return Visibility(self.visibility or None, internal=customers and internal)

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
    archived: bool = False


class Security(Answer):
    id: str


class _Role(Answer):
    restriction_value: str = Field(pattern=r"^[0-9]{1,19}$")


class _Restriction(Answer):
    """Who alone sees a ticket of a team-managed project, by kind. Only roles are known to be one."""

    by_kind: dict[str, tuple[_Role, ...]] = Field({}, alias="issuerestrictions")


class Fields(Answer):
    project: Project
    security: Security | None = None
    restriction: Any = Field(None, alias="issuerestriction")
    archived: Any = Field(None, alias="archiveddate")
    """When the ticket was archived."""


class Ticket(Answer):
    id: str
    key: str
    fields: Fields

    @property
    def customers(self) -> bool:
        return self.fields.project.project_type_key not in _WITHOUT_CUSTOMERS

    @property
    def roles(self) -> tuple[str, ...]:
        """Ids of those of which it takes one to see the ticket. Empty, too, for a restriction that is not understood:
        then nothing is known of its readers but that they see the project.
        """
        try:
            by_kind = _Restriction.model_validate(self.fields.restriction or {}).by_kind
        except ValidationError:
            return ()
        if any(members for kind, members in by_kind.items() if kind != "projectrole"):
            return ()
        return tuple(sorted({role.restriction_value for role in by_kind.get("projectrole", ())}))


class Changed(Answer):
    updated: str = ""


class Found(Answer):
    """A ticket in a search's result."""

    id: str
    key: str
    fields: Changed = Changed()


class SearchPage(Answer):
    issues: tuple[Found, ...]
    next_page_token: str | None = None
    """Cloud's way to the next page."""
    total: int = 0
    """Data Center's."""


class ServerInfo(Answer):
    deployment_type: str = ""
    server_time: AwareDatetime | None = None


class Attachment(Answer):
    id: str = Field(pattern=r"^[0-9]{1,19}$")
    filename: str
    created: AwareDatetime
    author: Person | None = None

    @property
    def author_id(self) -> str:
        """Empty for a file without an author."""
        return self.author.id if self.author else ""


class Attached(Answer):
    """A ticket's files."""

    attachment: tuple[Attachment, ...] = ()


class WithAttachments(Answer):
    fields: Attached


class Group(Answer):
    name: str = ""
    group_id: str = ""


class Groups(Answer):
    items: tuple[Group, ...] = ()


class Member(Person):
    """A person with their groups."""

    groups: Groups = Groups()


class Actor(Answer):
    """A person or a group that has a role in a project."""

    type: str = ""
    name: str = ""
    actor_user: Person | None = None
    actor_group: Group | None = None


class Roles(Answer):
    """The roles in a project, with their addresses."""

    roles: dict[str, str]


class Role(Answer):
    actors: tuple[Actor, ...] = ()


class Permission(Answer):
    have_permission: bool


class Permissions(Answer):
    permissions: dict[str, Permission]


def moment(at: datetime) -> int:
    """Milliseconds since 1970, as JQL takes them."""
    return int(at.timestamp() * 1000)


A = TypeVar("A", bound=Answer)


def read(model: type[A], payload: Any, what: str, error: type[BotError] = Unavailable) -> A:
    """Jira's answer about something. Raises `error` when it is not as it is described."""
    return as_described("Jira", model, payload, what, error)
