"""Settings: a TOML file for what may be read by anyone, the environment for secrets.

Nothing else reads the environment. Each field's description is its documentation: `crosscheck init` writes them into
the file as comments, and `docs/settings.md` is made from them.
"""

import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from crosscheck.errors import BadSettings
from crosscheck.secrets_from import FOLDER, secrets_in
from crosscheck.settings_commands import Commands
from crosscheck.settings_deployed import Database, Probe, Token
from crosscheck.settings_errors import table_of, told
from crosscheck.settings_evaluating import Eval
from crosscheck.settings_finding import Embedding, Gpu, IndexPlace, Reranking, Search, Section
from crosscheck.settings_reviewing import Agent, Model, Pictures, Review
from crosscheck.settings_running import Console, Limits, Retention, Serve, State, Tracing, Worker
from crosscheck.settings_slack import Slack
from crosscheck.settings_sources import CodeHost, Confluence, Files, Git, Jira, Qa
from crosscheck.tokens import fault

FILE = "crosscheck.toml"

LABELS = (
    "org, jira:KEY, jira:KEY:role:NAME, jira:KEY:security:LEVEL-ID, jira:group:GROUP-ID, jira:internal, "
    "confluence:SPACE, repo:NAME, files:NAME, qa:NAME, slack:CHANNEL-ID"
)
"""What labels look like, for people."""

NAMED: Mapping[str, str] = {
    "host_tokens": "CROSSCHECK_HOST_TOKEN_",
    "probe_tokens": "CROSSCHECK_PROBE_TOKEN_",
    "database_passwords": "CROSSCHECK_DATABASE_PASSWORD_",
    "eval_keys": "CROSSCHECK_EVAL_KEY_",
}
"""Secrets of which there are several, and how the variable of each begins; its end is a name in the settings."""

_FILES_OF_PROBES = ("ca", "client_certificate", "client_key")


class Audience(Section):
    holders: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="Label -> further labels that everybody who holds it also holds. Unmapped means: nothing further. "
        f"Labels are {LABELS}.",
    )
    outsiders: tuple[str, ...] = Field(
        (),
        description="Labels that a service desk's customers hold, and everybody in a channel of slack.outside. "
        "Empty: customers are told to ask internally, and answers there use what is said there alone.",
    )


class Settings(Section):
    data: Path = Field(Path(".crosscheck"), description="Folder of the database, the index and the mirrors.")
    posting: bool = Field(
        True,
        description="false: do everything, post nothing; `crosscheck jobs show` has the reply that would be posted.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level that is logged.")
    stale_after: float = Field(2, gt=1, description="A source is called stale after this many missed periods.")
    serve: Serve = Field(Serve(), description="The service.")
    jira: Jira | None = Field(None, description="Jira, Cloud or Data Center: where people ask, and a source.")
    slack: Slack | None = Field(None, description="Slack: where people ask in messages.")
    confluence: Confluence | None = Field(
        None, description="Confluence, Cloud or Data Center: a source, and where people ask."
    )
    commands: Commands = Field(Commands(), description="What is written in comments, and who may.")
    git: tuple[Git, ...] = Field((), description="Repositories, one [[git]] table each.")
    hosts: tuple[CodeHost, ...] = Field((), description="Hosts of repositories, one [[hosts]] table each.")
    files: tuple[Files, ...] = Field((), description="Folders of files, one [[files]] table each.")
    qa: tuple[Qa, ...] = Field((), description="Test records, one [[qa]] table each.")
    probes: tuple[Probe, ...] = Field((), description="What tells which version runs where, one [[probes]] table each.")
    databases: tuple[Database, ...] = Field(
        (), description="Databases whose migrations are read, one [[databases]] table each."
    )
    tokens: tuple[Token, ...] = Field(
        (), description="Programs that may ask over MCP and HTTP, one [[tokens]] table each."
    )
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
    mirrors: Path | None = Field(
        None,
        description="Folder of the repositories' mirrors, where several processes share it; without it, in data.",
    )
    state: State = Field(State(), description="What is remembered: jobs, posts, cursors.")
    retention: Retention = Field(Retention(), description="How long it is remembered.")
    limits: Limits = Field(Limits(), description="How much one may ask.")
    console: Console = Field(Console(), description="The pages for people at /console.")
    tracing: Tracing = Field(Tracing(), description="OpenTelemetry traces.")
    eval: Eval = Field(Eval(), description="Evaluations that ask models.")

    @property
    def mirrors_folder(self) -> Path:
        """Where the repositories' mirrors are."""
        return self.mirrors or self.data / "mirrors"

    @property
    def several(self) -> bool:
        """Whether several processes may serve."""
        return bool(self.state.url)

    @property
    def slack_calls(self) -> bool:
        """Whether Slack calls the service, and not the service Slack."""
        return self.slack is not None and self.slack.mode == "http"

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        several: tuple[Git | Files | Qa, ...] = (*self.git, *self.files, *self.qa)
        names = Counter(["jira", "confluence", *(source.name for source in several)])
        if twice := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"two sources have the name {twice[0]}; call one of them something else")
        return self

    @model_validator(mode="after")
    def _hosted(self) -> Self:
        known = [host.name for host in self.hosts]
        if twice := [name for name in known if known.count(name) > 1]:
            raise ValueError(f"two hosts have the name {twice[0]}; call one of them something else")
        for git in self.git:
            if git.host and git.host not in known:
                raise ValueError(f"git {git.name}: there is no [[hosts]] table with the name {git.host!r}")
            if bool(git.host) != bool(git.project):
                raise ValueError(f"git {git.name}: host and project go together; set both or none")
        return self

    @model_validator(mode="after")
    def _deployed(self) -> Self:
        repos = {git.name for git in self.git}
        placed = [("probe", one.name, one.repo) for one in self.probes]
        placed += [("database", one.name, one.repo) for one in self.databases]
        for what, tables in (("probes", self.probes), ("databases", self.databases), ("tokens", self.tokens)):
            names = Counter(table.name for table in tables)
            if twice := [name for name, count in names.items() if count > 1]:
                raise ValueError(f"two {what} have the name {twice[0]}; call one of them something else")
        for what, name, repo in placed:
            if repo not in repos:
                known = f"; there is {', '.join(sorted(repos))}" if repos else ""
                raise ValueError(f"{what} {name}: there is no [[git]] table with the name {repo!r}{known}")
        return self

    @model_validator(mode="after")
    def _agents_apart(self) -> Self:
        names = ["documents", "code", *(agent.name for agent in self.agents)]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"two agents have the name {twice[0]}; `documents` and `code` are always there")
        return self

    @model_validator(mode="after")
    def _patient(self) -> Self:
        """Else the limit strikes first, and a card in use looks like a reranker that hangs."""
        local = any(one.kind != "server" for one in self.reranking.models)
        if local and self.gpu.patience >= self.reranking.seconds:
            raise ValueError("gpu.patience must be less than reranking.seconds")
        return self


class Secrets(BaseModel):
    """Secrets, by the environment variable each comes from. Never logged, never written."""

    model_config = ConfigDict(frozen=True)

    jira_read_token: SecretStr | None = Field(None, description="API token of jira.read_user. Needed with [jira].")
    jira_post_token: SecretStr | None = Field(None, description="API token of jira.post_user. Needed with [jira].")
    jira_webhook_secret: SecretStr | None = Field(
        None, description="Secret of Jira's webhook; without it the webhook address answers 404."
    )
    slack_bot_token: SecretStr | None = Field(None, description="Token of the Slack app's bot, xoxb-...")
    slack_app_token: SecretStr | None = Field(None, description="Token of the Slack app itself, xapp-..., for sockets.")
    slack_signing_secret: SecretStr | None = Field(
        None, description="Signing secret of the Slack app, for slack.mode = http."
    )
    confluence_token: SecretStr | None = Field(
        None, description="API token of confluence.user. Needed with [confluence]."
    )
    confluence_post_token: SecretStr | None = Field(
        None, description="API token of confluence.post_user. Needed with confluence.answers."
    )
    confluence_webhook_secret: SecretStr | None = Field(
        None, description="Secret of Confluence's webhook; without it the webhook address answers 404."
    )
    model_api_key: SecretStr | None = Field(None, description="Key of the model's provider.")
    fallback_api_key: SecretStr | None = Field(None, description="Key of the fallback model's provider.")
    pictures_api_key: SecretStr | None = Field(None, description="Key of the provider of the model that sees pictures.")
    metrics_token: SecretStr | None = Field(
        None, description="What Prometheus sends as a bearer token to read /metrics; without one this host alone may."
    )
    embedding_api_key: SecretStr | None = Field(None, description="Key of the embedding server, if it wants one.")
    reranking_api_key: SecretStr | None = Field(None, description="Key of the reranking server, if it wants one.")
    qdrant_api_key: SecretStr | None = Field(None, description="Key of the index's server, if it wants one.")
    state_password: SecretStr | None = Field(None, description="Password of the account in state.url.")
    tracing_token: SecretStr | None = Field(None, description="What tracing.endpoint takes as a bearer token.")
    host_tokens: Mapping[str, SecretStr] = Field(
        default_factory=dict,
        description="Read token of the host of repositories with this name in [[hosts]], in capitals.",
    )
    probe_tokens: Mapping[str, SecretStr] = Field(
        default_factory=dict, description="Read token of the probe with this name in [[probes]], in capitals."
    )
    database_passwords: Mapping[str, SecretStr] = Field(
        default_factory=dict,
        description="Password of the account that reads the database with this name in [[databases]], in capitals.",
    )
    eval_keys: Mapping[str, SecretStr] = Field(
        default_factory=dict, description="Key of the provider of the model with this label in [eval], in capitals."
    )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Secrets":
        """Read CROSSCHECK_<NAME> for each secret, or the file of that name in $CROSSCHECK_SECRETS_FOLDER.

        Raises:
            BadSettings: the folder or a file in it cannot be used; says which, and what to do.

        """
        source = secrets_in(os.environ if environment is None else environment, is_secret)
        several = {
            field: {
                name.removeprefix(begins).lower(): value for name, value in source.items() if name.startswith(begins)
            }
            for field, begins in NAMED.items()
        }
        found = {name: source.get(variable(name)) for name in cls.model_fields if name not in NAMED}
        return cls.model_validate({**found, **several})

    def values(self) -> Iterator[str]:
        """Each secret that is set, to be kept out of what is written."""
        for name in type(self).model_fields:
            held = getattr(self, name)
            yield from map(_value, held.values()) if name in NAMED else filter(None, (_value(held),))

    def host_token(self, host: str) -> str:
        """The read token of a host, by its name in the settings; empty where there is none."""
        return _value(self.host_tokens.get(host))

    def probe_token(self, probe: str) -> str:
        """The read token of a probe, by its name in the settings; empty where there is none."""
        return _value(self.probe_tokens.get(probe))

    def database_password(self, database: str) -> str:
        """The password for a database, by its name in the settings; empty where there is none."""
        return _value(self.database_passwords.get(database))

    def eval_key(self, label: str) -> str:
        """The key of a model of [eval], by its label; empty where there is none."""
        return _value(self.eval_keys.get(label))

    def need(self, name: str) -> str:
        """A secret that must be there.

        Raises:
            BadSettings: it is not set, or cannot be what it is to be; says which variable to set.

        """
        value = self.wanted(name)
        if not value:
            raise BadSettings(
                f"{variable(name)} is not set. Set it in the environment of this process. It may also be a file of "
                f"this name in the folder that {FOLDER} names."
            )
        if found := fault(name, value):
            raise BadSettings(f"{variable(name)} {found}.")
        return value

    def wanted(self, name: str) -> str:
        """A secret that may be missing; then it is empty."""
        return _value(getattr(self, name))


def _value(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret else ""


def variable(name: str) -> str:
    """The environment variable of a secret."""
    return f"{NAMED[name]}<NAME>" if name in NAMED else f"CROSSCHECK_{name.upper()}"


def is_secret(name: str) -> bool:
    """Whether this is the variable of a secret."""
    alone = {variable(field) for field in Secrets.model_fields if field not in NAMED}
    return name in alone or any(name.startswith(begins) and name != begins for begins in NAMED.values())


def load(path: Path) -> Settings:
    """Read the settings file. Relative paths in it are relative to the file.

    Raises:
        BadSettings: the file is missing, is not TOML, or a setting is wrong; names each.

    """
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise BadSettings(f"There is no {path}. Run `crosscheck init` to write one.") from error
    except (OSError, ValueError, RecursionError) as error:
        raise BadSettings(f"{path} cannot be read: {error}") from error
    return check(raw, path)


def check(raw: Mapping[str, Any], path: Path) -> Settings:
    """Validate settings as read from `path`."""
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        secrets = {name: variable(name) for name in Secrets.model_fields}
        lines = [f"  {one}" for one in told(error.errors(include_url=False), Settings, secrets)]
        raise BadSettings(f"{path} has settings that are wrong:\n" + "\n".join(lines)) from error
    home = path.resolve().parent
    changes: dict[str, Any] = {
        "data": home / settings.data,
        "mirrors": home / settings.mirrors if settings.mirrors else None,
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
    changes["probes"] = tuple(
        one.model_copy(
            update={name: home / file for name in _FILES_OF_PROBES if (file := getattr(one, name)) is not None}
        )
        for one in settings.probes
    )
    models = tuple(
        one.model_copy(update={"path": str(home / one.path)}) if one.path else one for one in settings.reranking.models
    )
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
        inner = table_of(field.annotation)
        if inner:
            tables.append((f"{prefix}{name}.", inner))
        else:
            yield f"{prefix}{name}", _default(field), field.description or ""
    for dotted, below in tables:
        yield from described(below, dotted)


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
