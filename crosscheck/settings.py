"""Settings: a TOML file for what may be read by anyone, the environment for secrets.

Nothing else reads the environment. Each field's description is its documentation: `crosscheck init` writes them into
the file as comments, and `docs/settings.md` is made from them.
"""

import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from core.connectors.qa_records import ROLES
from crosscheck.errors import BadSettings
from crosscheck.settings_finding import Embedding, Gpu, IndexPlace, Name, Reranking, Search, Section
from review.words import Words

FILE = "crosscheck.toml"

HostName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
ProjectKey = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]+$")]


class Serve(Section):
    host: str = Field("127.0.0.1", description="Address to listen on. Put a TLS proxy before anything but loopback.")
    port: int = Field(8765, ge=0, le=65535, description="Port to listen on.")


class Jira(Section):
    site: str = Field(description="Base URL of the Jira site, e.g. https://example.atlassian.net")
    read_user: str = Field(description="Account that reads and indexes. Its token: CROSSCHECK_JIRA_READ_TOKEN.")
    post_user: str = Field(description="Account that answers. Its token: CROSSCHECK_JIRA_POST_TOKEN.")
    projects: tuple[ProjectKey, ...] = Field(
        min_length=1, description="Keys of the projects to index and to answer in."
    )
    agreed_statuses: tuple[str, ...] = Field(
        ("Approved", "Ready for development", "Ready"), description="Statuses that mean: the ticket's text is agreed."
    )
    poll_seconds: float = Field(30, gt=0, description="Seconds between two looks for new comments.")
    test_types: tuple[str, ...] = Field(("Test",), description="Types of issues that are test cases.")
    attachment_mb: float = Field(20, ge=0, description="Largest attachment that is read, in MB; 0: none is.")
    sync_minutes: float = Field(15, gt=0, description="Minutes between two updates of the index from Jira.")

    @field_validator("site")
    @classmethod
    def _bare(cls, value: str) -> str:
        return value.rstrip("/")


class Confluence(Section):
    site: str = Field(
        description="Base URL of the site: of a Cloud site without /wiki, of a Data Center with its context path."
    )
    user: str = Field(
        "",
        description="Account that reads and indexes (Cloud); empty for a Data Center, where the token says who. "
        "Its token: CROSSCHECK_CONFLUENCE_TOKEN.",
    )
    spaces: tuple[str, ...] = Field(min_length=1, description="Keys of the spaces to index.")
    attachment_mb: float = Field(20, ge=0, description="Largest attachment that is read, in MB; 0: none is.")
    sync_minutes: float = Field(30, gt=0, description="Minutes between two updates of the index from Confluence.")

    @field_validator("site")
    @classmethod
    def _bare(cls, value: str) -> str:
        return value.rstrip("/")


class Git(Section):
    name: Name = Field(description="What the repository is called in answers and labels.")
    location: str = Field(description="Path or URL to fetch from (read-only).")
    branch: str = Field("", description="The baseline branch; empty: the one that the repository names its own.")
    link: str = Field(
        "", description="Address of a file's page with {branch}, {path} and {line}; empty: no links into the code."
    )
    commit_link: str = Field("", description="Address of a commit's page with {sha}; empty: no links to commits.")
    branches: tuple[str, ...] = Field(
        (),
        description='Branches in development to index too, as globs, e.g. ["feature/*"]: what differs from the '
        "baseline. They are searched only when asked for by name.",
    )
    commits: int = Field(5000, ge=0, description="How many of the latest commits are indexed.")
    host: str = Field("", description="Name of the [[hosts]] table of its host; empty: pull requests from Git alone.")
    project: str = Field("", description="What the host calls it, e.g. acme/booking-api; Bitbucket: PROJECT/repo.")
    released: str = Field(
        "",
        description="Branch, or glob of tags (`v*`), that holds what is deployed; empty: reviews do not ask whether "
        "something merged is deployed.",
    )
    sync_minutes: float = Field(15, gt=0, description="Minutes between two fetches.")


class CodeHost(Section):
    name: HostName = Field(description="What the host is called in [[git]]. Its token: CROSSCHECK_HOST_TOKEN_<NAME>.")
    kind: Literal["github", "gitlab", "bitbucket-cloud", "bitbucket-data-center"] = Field(description="What it speaks.")
    url: str = Field(description="Address of its pages, e.g. https://github.com or https://git.example.com")
    api: str = Field("", description="Address of its API; empty: as the vendor makes it from `url`.")
    user: str = Field("", description="Account of the token, where the host wants one beside it (Bitbucket Cloud).")

    @field_validator("url", "api")
    @classmethod
    def _bare(cls, value: str) -> str:
        return value.rstrip("/")


class Files(Section):
    name: Name = Field(description="What the folder is called in answers and labels.")
    location: str = Field(description="Path of the folder; all below it is read, but for what is hidden.")
    link: str = Field("", description="Address of a file with {path}; empty: no links to the files.")
    sync_minutes: float = Field(30, gt=0, description="Minutes between two looks at the folder.")


class Qa(Section):
    name: Name = Field(description="What these test records are called in answers and labels.")
    location: str = Field(description="Path of a folder of exports: CSV, XLSX, JUnit XML.")
    link: str = Field("", description="Address of a file with {path}; empty: no links to the files.")
    columns: Mapping[str, str] = Field(
        default_factory=dict,
        description='Which column holds what, e.g. { id = "Case ID", result = "Outcome" }; see docs/sources.md.',
    )
    sync_minutes: float = Field(60, gt=0, description="Minutes between two looks at the folder.")

    @field_validator("columns")
    @classmethod
    def _roles(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        if unknown := sorted(value.keys() - ROLES):
            raise ValueError(f"a column cannot be {unknown[0]!r}; it can be {', '.join(sorted(ROLES))}")
        return value


class Audience(Section):
    holders: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="Label -> further labels that everybody who holds it also holds. Unmapped means: nothing further.",
    )
    outsiders: tuple[str, ...] = Field(
        (), description="Labels that a service desk's customers hold. Empty: they are told to ask internally."
    )


class Review(Section):
    languages: tuple[Literal["en", "de"], ...] = Field(
        ("en", "de"), description="Languages whose words the rules know."
    )
    words: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description='More words for the rules, by list, e.g. { agreed = ["ship it"] }.',
    )

    @field_validator("words")
    @classmethod
    def _known(cls, value: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
        lists = sorted(field.name for field in fields(Words))
        if unknown := sorted(set(value) - set(lists)):
            raise ValueError(f"there is no list {unknown[0]!r}; the lists are {', '.join(lists)}")
        return value

    truth: Path | None = Field(
        None, description="File of expectations (TOML) against which `crosscheck review --all` counts its findings."
    )


class Fallback(Section):
    name: str = Field(description="anthropic:NAME or openai:NAME. Its key: CROSSCHECK_FALLBACK_API_KEY.")
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible server; empty: the provider's own.")


class Model(Section):
    name: str = Field(description="anthropic:NAME or openai:NAME. Its key: CROSSCHECK_MODEL_API_KEY.")
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible server; empty: the provider's own.")
    fallback: Fallback | None = Field(None, description="The model that is asked when the first gives no answer.")
    filter: bool = Field(False, description="Have the model first choose which of the evidence matters: one more call.")
    calls: int = Field(12, ge=1, description="Most model calls in one review, of all agents together.")
    tokens: int = Field(200_000, ge=1000, description="Most tokens, read and written, in one review.")
    seconds: float = Field(150, gt=0, description="Most seconds the model may take in one review.")
    day_tokens: int = Field(
        5_000_000, ge=0, description="Most tokens in a day (UTC) of all reviews and answers; then the rules review."
    )
    withhold: tuple[str, ...] = Field(
        (), description='Access labels or sources never shown to a model, e.g. ["repo:payments", "confluence:HR"].'
    )


class Agent(Section):
    name: Name = Field(description="What the agent is called.")
    kind: Literal["documents", "code"] = Field(description="What it reads: documents, or code and pull requests.")
    about: str = Field(min_length=10, max_length=500, description="What it looks at, told to the model in a sentence.")
    sources: tuple[str, ...] = Field((), description="Sources that it searches; empty: all.")
    repos: tuple[str, ...] = Field((), description="Repositories that it searches; empty: all.")
    path: str = Field("", description="Glob of paths that it searches; empty: all.")


class Pictures(Section):
    name: str = Field(
        description="A model that sees pictures: anthropic:NAME or openai:NAME. Its key: CROSSCHECK_PICTURES_API_KEY."
    )
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible server; empty: the provider's own.")
    run: int = Field(200, ge=0, description="Most pictures that are described in one sync.")
    day: int = Field(1_000, ge=0, description="Most pictures that are described in a day.")
    tokens: int = Field(3_000_000, ge=0, description="Most tokens, read and written, that pictures may cost in a day.")


class Worker(Section):
    threads: int = Field(2, ge=1, le=64, description="Jobs worked on at once.")
    lease_seconds: float = Field(60, ge=1, description="How long a worker may be silent before another takes over.")
    job_minutes: float = Field(15, gt=0, description="How long one attempt may take before it is given up.")


class Settings(Section):
    data: Path = Field(Path(".crosscheck"), description="Folder of the database, the index and the mirrors.")
    posting: bool = Field(
        True,
        description="false: do everything, post nothing; `crosscheck jobs show` has the reply that would be posted.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level that is logged.")
    stale_after: float = Field(2, gt=1, description="A source is called stale after this many missed periods.")
    serve: Serve = Field(Serve(), description="The service.")
    jira: Jira | None = Field(None, description="Jira Cloud: where people ask, and a source.")
    confluence: Confluence | None = Field(None, description="Confluence, Cloud or Data Center: a source.")
    git: tuple[Git, ...] = Field((), description="Repositories, one [[git]] table each.")
    hosts: tuple[CodeHost, ...] = Field((), description="Hosts of repositories, one [[hosts]] table each.")
    files: tuple[Files, ...] = Field((), description="Folders of files, one [[files]] table each.")
    qa: tuple[Qa, ...] = Field((), description="Test records, one [[qa]] table each.")
    audience: Audience = Field(Audience(), description="Who may read what.")
    review: Review = Field(Review(), description="The rules.")
    model: Model | None = Field(None, description="A language model; without one the rules review alone.")
    agents: tuple[Agent, ...] = Field(
        (), max_length=4, description="Further agents beside those of documents and code, one [[agents]] table each."
    )
    pictures: Pictures | None = Field(
        None, description="A model that describes pictures; without one they are said to be unread."
    )
    embedding: Embedding = Field(
        Embedding(),
        description="What texts are compared by. A change makes a new index beside the old one, which answers "
        "until the new one is complete.",
    )
    index: IndexPlace = Field(IndexPlace(), description="Where the index is.")
    search: Search = Field(Search(), description="How results are put together.")
    reranking: Reranking = Field(Reranking(), description="What reads the best candidates again and orders them.")
    gpu: Gpu = Field(Gpu(), description="The graphics card, which all processes of the host share.")
    worker: Worker = Field(Worker(), description="The worker.")

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        several: tuple[Git | Files | Qa, ...] = (*self.git, *self.files, *self.qa)
        names = Counter(["jira", "confluence", *(source.name for source in several)])
        if twice := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"two sources have the name {twice[0]}; call one of them something else")
        return self

    @model_validator(mode="after")
    def _patient(self) -> Self:
        """Else the limit strikes first, and a card in use looks like a reranker that hangs."""
        if self.reranking.models and self.gpu.patience >= self.reranking.seconds:
            raise ValueError("gpu.patience must be less than reranking.seconds")
        return self


class Secrets(BaseModel):
    """Secrets, by the environment variable each comes from. Never logged, never written."""

    model_config = ConfigDict(frozen=True)

    jira_read_token: SecretStr | None = Field(None, description="API token of jira.read_user.")
    jira_post_token: SecretStr | None = Field(None, description="API token of jira.post_user.")
    jira_webhook_secret: SecretStr | None = Field(
        None, description="Secret of Jira's webhook; without it the webhook address answers 404."
    )
    confluence_token: SecretStr | None = Field(None, description="API token of confluence.user.")
    model_api_key: SecretStr | None = Field(None, description="Key of the model's provider.")
    fallback_api_key: SecretStr | None = Field(None, description="Key of the fallback model's provider.")
    pictures_api_key: SecretStr | None = Field(None, description="Key of the provider of the model that sees pictures.")
    embedding_api_key: SecretStr | None = Field(None, description="Key of the embedding server, if it wants one.")
    qdrant_api_key: SecretStr | None = Field(None, description="Key of the index's server, if it wants one.")
    host_tokens: Mapping[str, SecretStr] = Field(
        default_factory=dict,
        description="Read tokens of the hosts of repositories, CROSSCHECK_HOST_TOKEN_<NAME OF [[hosts]] IN CAPITALS>.",
    )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Secrets":
        """Read CROSSCHECK_<NAME> for each secret; empty counts as absent."""
        source = os.environ if environment is None else environment
        found = {name: source.get(variable(name)) or None for name in cls.model_fields}
        return cls.model_validate(found)

    def need(self, name: str) -> str:
        """A secret that must be there.

        Raises:
            BadSettings: it is not set; says which variable to set.

        """
        value: SecretStr | None = getattr(self, name)
        if value is None:
            raise BadSettings(f"{variable(name)} is not set. Set it in the environment of this process.")
        return value.get_secret_value()

    def wanted(self, name: str) -> str:
        """A secret that may be missing; then it is empty."""
        value: SecretStr | None = getattr(self, name)
        return value.get_secret_value() if value else ""


def variable(secret: str) -> str:
    """The environment variable of a secret."""
    return f"CROSSCHECK_{secret.upper()}"


def load(path: Path) -> Settings:
    """Read the settings file. Relative paths in it are relative to the file.

    Raises:
        BadSettings: the file is missing, is not TOML, or a setting is wrong; names each.

    """
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise BadSettings(f"There is no {path}. Run `crosscheck init` to write one.") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSettings(f"{path} cannot be read: {error}") from error
    return check(raw, path)


def check(raw: Mapping[str, Any], path: Path) -> Settings:
    """Validate settings as read from `path`."""
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        lines = [f"  {'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors()]
        raise BadSettings(f"{path} has settings that are wrong:\n" + "\n".join(lines)) from error
    home = path.resolve().parent
    changes: dict[str, Any] = {
        "data": home / settings.data,
    }
    for table in ("git", "files", "qa"):
        sources: tuple[Git | Files | Qa, ...] = getattr(settings, table)
        changes[table] = tuple(s.model_copy(update={"location": _located(s.location, home)}) for s in sources)
    embedders = {"documents": settings.embedding.documents, "code": settings.embedding.code}
    changes["embedding"] = settings.embedding.model_copy(
        update={
            name: one.model_copy(update={"path": str(home / one.path)})
            for name, one in embedders.items()
            if one and one.path
        }
    )
    models = tuple(one.model_copy(update={"path": str(home / one.path)}) for one in settings.reranking.models)
    changes["reranking"] = settings.reranking.model_copy(update={"models": models})
    changes["gpu"] = settings.gpu.model_copy(update={"lock": home / _in_home(settings.gpu.lock, path)})
    if settings.review.truth:
        changes["review"] = settings.review.model_copy(update={"truth": home / settings.review.truth})
    return settings.model_copy(update=changes)


def _in_home(lock: Path, path: Path) -> Path:
    try:
        return lock.expanduser()
    except RuntimeError as error:
        raise BadSettings(f"{path}: this user has no home folder; set gpu.lock to a file elsewhere.") from error


def _located(location: str, home: Path) -> str:
    """A folder's whole path; an address (`https://...`, `git@host:path`) as it is."""
    return location if re.match(r"[^/]*:", location) else str(home / location)


def described(section: type[BaseModel] = Settings, prefix: str = "") -> Iterator[tuple[str, str, str]]:
    """Each setting as (dotted name, default as TOML, description); tables come after plain values."""
    tables: list[tuple[str, type[BaseModel]]] = []
    for name, field in section.model_fields.items():
        inner = _table(field.annotation)
        if inner:
            tables.append((f"{prefix}{name}.", inner))
        else:
            yield f"{prefix}{name}", _default(field), field.description or ""
    for dotted, inner in tables:
        yield from described(inner, dotted)


def _table(annotation: Any) -> type[BaseModel] | None:
    candidates = [annotation, *getattr(annotation, "__args__", ())]
    return next((c for c in candidates if isinstance(c, type) and issubclass(c, Section)), None)


def _default(field: Any) -> str:
    if field.is_required():
        return "(required)"
    value = field.get_default(call_default_factory=True)
    if value is None:
        return "(none)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{item}"' for item in value) + "]"
    if isinstance(value, Mapping):
        return "{}"
    return f'"{value}"' if isinstance(value, str | Path) else f"{value:.10g}"
