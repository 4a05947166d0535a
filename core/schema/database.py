"""A database as the settings name it."""

from dataclasses import dataclass, field
from typing import get_args

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from core.mirror import is_path
from core.schema.types import Tool
from core.visibility import repository

_DRIVERS = {
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mysql+pymysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
    "mariadb+pymysql": "mariadb+pymysql",
    "sqlite": "sqlite",
}


@dataclass(frozen=True, slots=True)
class Database:
    """One database whose migrations are kept in a repository. Raises ValueError, with a sentence that holds neither
    address nor password, for what cannot be.
    """

    name: str
    environment: str
    tool: Tool
    repo: str
    path: str
    """The folder of the migration files in the repository, or the one changelog of Liquibase; empty: all of it."""
    url: str = field(repr=False)
    """An address as SQLAlchemy writes it, without a password: `postgresql://reader@db.internal/booking`."""
    password: str = field(default="", repr=False)
    schema: str = ""
    """Where the tool keeps its table, if not where a connection looks by itself."""
    labels: frozenset[str] = frozenset()
    """Who may know of it; empty: who may read the repository."""

    def __post_init__(self) -> None:
        if self.tool not in get_args(Tool):
            raise ValueError(f"the tool of database {self.name} is none of: {', '.join(get_args(Tool))}")
        if self.path.strip("/") and not is_path(self.path.strip("/")):
            raise ValueError(f"the path of database {self.name} is no path within a repository")
        if self.address.get_backend_name() == "sqlite" and not self.address.database:
            raise ValueError(f"the url of database {self.name} names no file")
        object.__setattr__(self, "path", self.path.strip("/"))
        object.__setattr__(self, "labels", frozenset(self.labels) or frozenset({repository(self.repo)}))

    @property
    def address(self) -> URL:
        """With the driver that reads it, and without the password."""
        try:
            url = make_url(self.url)
            driver = _DRIVERS.get(url.drivername)
        except (ArgumentError, ValueError):
            raise ValueError(f"the url of database {self.name} cannot be read") from None  # it may hold a password
        if url.password is not None or "password" in url.query:
            raise ValueError(f"the url of database {self.name} holds a password; it has a setting of its own")
        if driver is None:
            raise ValueError(f"the url of database {self.name} is for none of PostgreSQL, MySQL, MariaDB and SQLite")
        return url.set(drivername=driver)
