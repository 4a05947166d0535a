"""The make-believe company as data. Texts are Markdown; the servers turn them into each vendor's format.

Beside CommonMark, tables and `- [ ]` task lists: `@[account-id]` (or `[~account-id]`) mentions a person; link targets
may be `page:ID`, `ticket:KEY`, `repo:NAME/path#L10` or `pull:NAME/7`. In a page, `![include](page:ID)` shows another
page's text, `![excerpt](page:ID)` its excerpt, `![name](attachment:NAME)` a picture or a draw.io diagram. Raw HTML is
shown as text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    """Account id."""
    name: str
    email: str
    groups: tuple[str, ...] = ()
    customer: bool = False
    """A service desk's customer: sees portal requests and public comments only."""
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Project:
    key: str
    name: str
    roles: Mapping[str, tuple[str, ...]]
    """Role name -> account ids."""
    service_desk: bool = False
    security_levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Level name -> account ids."""


@dataclass(frozen=True, slots=True)
class Comment:
    author: str
    at: datetime
    text: str
    role: str | None = None
    """Visible to this project role only."""
    group: str | None = None
    internal: bool = False
    """A service desk's internal note."""
    id: str | None = None
    """Given where something refers to it; numbered otherwise."""


@dataclass(frozen=True, slots=True)
class Change:
    at: datetime
    author: str
    field: str
    """As Jira names it: `description`, `status`, `summary`, or a custom field's name."""
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link of this ticket: `Blocks` with the key of the ticket that is blocked by this one."""

    type: str
    key: str


@dataclass(frozen=True, slots=True)
class RemoteLink:
    title: str
    url: str
    """May start with `page:ID` for a page of this company, or `repo:NAME/...`."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file made from its text, by `sandbox.files.content`; a page's by `sandbox.confluence_files.content`."""

    name: str
    author: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Ticket:
    key: str
    type: str
    summary: str
    description: str
    status: str
    reporter: str
    created: datetime
    updated: datetime
    resolution: str | None = None
    assignee: str | None = None
    parent: str | None = None
    security: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    """Custom fields by name, Markdown (`Acceptance criteria`)."""
    comments: tuple[Comment, ...] = ()
    history: tuple[Change, ...] = ()
    links: tuple[Link, ...] = ()
    remote_links: tuple[RemoteLink, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class PageVersion:
    at: datetime
    author: str
    text: str
    message: str = ""
    storage: str | None = None
    """The body in Confluence's storage format where Markdown cannot say it, for tests; people are shown `text`."""
    title: str | None = None
    """The page's title then, where it has another one now."""


@dataclass(frozen=True, slots=True)
class PageComment:
    author: str
    at: datetime
    text: str
    marked: str | None = None
    """The page's text that it is about; None at the foot of the page."""
    state: str = "open"
    """Of one about a marked text: open, reopened, resolved or dangling."""


@dataclass(frozen=True, slots=True)
class Page:
    id: str
    space: str
    title: str
    versions: tuple[PageVersion, ...]
    """Oldest first; the last one is current."""
    parent: str | None = None
    archived: bool = False
    groups: tuple[str, ...] = ()
    """Read restriction by group; empty means the space decides."""
    users: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    comments: tuple[PageComment, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Space:
    key: str
    name: str
    groups: tuple[str, ...] = ()
    """Who may see the space; empty means everybody in the company."""


@dataclass(frozen=True, slots=True)
class Commit:
    author: str
    at: datetime
    message: str
    files: Mapping[str, str | None]
    """Path -> whole content after the commit; None removes the file."""
    branch: str = "main"
    """A branch starts at what `main` is when its first commit comes."""
    merges: str | None = None
    """The branch that this commit merges; it is gone afterwards."""


@dataclass(frozen=True, slots=True)
class Repo:
    name: str
    commits: tuple[Commit, ...]


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request (GitLab: merge request). Its branch is one of the repository's, or it brings its own commits."""

    repo: str
    number: int
    title: str
    description: str
    author: str
    branch: str
    created: datetime
    updated: datetime
    base: str = "main"
    state: str = "open"
    """open, draft, merged or closed."""
    squashed: bool = False
    """Merged by one commit of its base, not by a merge commit."""
    closed: datetime | None = None
    """When it was merged or closed; a merged one came into its base by the commit of this very moment."""
    fork: str | None = None
    """Account id of whose fork the branch is in; None for a branch of the repository itself."""
    fork_gone: bool = False
    commits: tuple[Commit, ...] = ()
    """Its own, on top of what the base was when the first came."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a rule must do with a ticket: `catch` it or `leave` it alone."""

    ticket: str
    rule: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Marker:
    """A word that stands in one restricted place only: seen anywhere else, it proves a leak."""

    word: str
    where: str
    """`ticket KEY` or `page ID`."""
    labels: tuple[str, ...]
    """What a reader must hold, as Crosscheck names access labels."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The question that the demo asks in Slack."""

    channel: str
    """Its name."""
    person: str
    """Account id."""
    text: str
    """Without the bot's mention."""


@dataclass(frozen=True, slots=True)
class Commenting:
    """A comment at a marked text of a page that somebody has just gone on with."""

    page: str
    person: str
    """Account id."""
    adds: str
    """Markdown of a new version, below what the page said before."""
    marked: str


@dataclass(frozen=True, slots=True)
class Demo:
    """The ticket that the demo asks about, who asks, and the project role that the question is limited to."""

    ticket: str
    person: str
    """Account id."""
    role: str
    slack: Asking
    page: Commenting


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel of the company's Slack."""

    name: str
    members: tuple[str, ...] = ()
    """Account ids; customers are guests."""
    purpose: str = ""
    private: bool = False
    bot: bool = True
    """Whether the bot is in it."""
    shared_with: str | None = None
    """Another company that the channel is shared with."""
    strangers: tuple[str, ...] = ()
    """Names of that company's people in it."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A place where the software runs."""

    name: str
    instances: int = 1
    """Of each repository's software."""


@dataclass(frozen=True, slots=True)
class Release:
    """A commit of main with a version. Its tag is the version behind a `v`."""

    repo: str
    version: str
    """With a `-` in it: a pre-release."""
    made: datetime
    """When the commit was made."""
    at: datetime
    author: str
    """Account id."""

    @property
    def tag(self) -> str:
        return f"v{self.version}"


@dataclass(frozen=True, slots=True)
class Deployment:
    """A release that was brought to an environment."""

    environment: str
    repo: str
    version: str
    at: datetime
    author: str
    """Account id."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A migration that was run, as its file stood on main at that moment."""

    script: str
    """Its path."""
    at: datetime


@dataclass(frozen=True, slots=True)
class Database:
    """A database of an environment, and what its tool has applied, oldest first."""

    environment: str
    repo: str
    tool: str
    """`flyway` or `golang-migrate`."""
    applied: tuple[Applied, ...]


@dataclass(frozen=True, slots=True)
class Company:
    people: tuple[Person, ...]
    projects: tuple[Project, ...]
    tickets: tuple[Ticket, ...]
    spaces: tuple[Space, ...]
    pages: tuple[Page, ...]
    repos: tuple[Repo, ...]
    truth: tuple[Expectation, ...]
    open_to_all: tuple[str, ...] = ()
    """Labels (as Crosscheck names them: `jira:KEY`, `confluence:KEY`, `repo:NAME`) that everybody in the company
    holds; the demo's settings are made from it."""
    markers: tuple[Marker, ...] = ()
    demo: Demo | None = None
    categories: Mapping[str, str] = field(default_factory=dict)
    """Status name -> Jira's category key: `new`, `indeterminate` or `done`."""
    pulls: tuple[Pull, ...] = ()
    organisation: str = "company"
    """What a Git host calls the owner of the repositories, and Slack its workspace."""
    channels: tuple[Channel, ...] = ()
    """Of Slack; `general` with all the staff is there in any case."""
    environments: tuple[Environment, ...] = ()
    releases: tuple[Release, ...] = ()
    deployments: tuple[Deployment, ...] = ()
    """Oldest first."""
    databases: tuple[Database, ...] = ()
