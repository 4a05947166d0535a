"""Who is who: people, their tokens and groups, and the two accounts that Crosscheck works with."""

import base64
import binascii
import secrets
import uuid
from collections.abc import Sequence

from sandbox.records import Company, Person

_GROUPS = uuid.UUID("6f1d6a52-6f5e-4f53-9d3b-1d1c5a0f5c11")

READER = Person(id="crosscheck-reader", name="Crosscheck Reader", email="reader@crosscheck.example")
"""The indexing account: sees everything, writes nothing."""

BOT = Person(id="crosscheck-bot", name="Crosscheck", email="crosscheck@crosscheck.example", bot=True)
"""Used when the company has no bot of its own."""


class Accounts:
    """The company's people with the reader and the bot. The bot is the company's own (`Person.bot`), or one that is
    added, and then it is in every group.
    """

    def __init__(self, company: Company) -> None:
        own = next((person for person in company.people if person.bot), None)
        self.reader = READER
        self.bot = own or _in_all_groups(company)
        self.people: dict[str, Person] = {p.id: p for p in (*company.people, self.reader, self.bot)}
        self._tokens = {person.id: secrets.token_urlsafe(18) for person in self.people.values()}
        self._by_login = {(p.email, self._tokens[p.id]): p for p in self.people.values()}
        named = {group for person in company.people for group in person.groups}
        named |= {group for space in company.spaces for group in space.groups}
        named |= {group for page in company.pages for group in page.groups}
        named |= {c.group for ticket in company.tickets for c in ticket.comments if c.group}
        self.groups = tuple(sorted(named))
        self._group_ids = {str(uuid.uuid5(_GROUPS, group)): group for group in self.groups}

    def token(self, account_id: str) -> str:
        """The API token of an account; its e-mail address is the user name."""
        return self._tokens[account_id]

    def of(self, account_id: str) -> Person:
        try:
            return self.people[account_id]
        except KeyError:
            raise ValueError(f"the company has no account {account_id!r}") from None

    def group_id(self, name: str) -> str:
        return str(uuid.uuid5(_GROUPS, name))

    def group_name(self, group_id: str) -> str | None:
        return self._group_ids.get(group_id)

    def members(self, group: str) -> Sequence[Person]:
        return [person for person in self.people.values() if group in person.groups]

    def login(self, header: str | None) -> Person | None:
        """The account of a Basic authorization header, or None when it is wrong or missing."""
        if header is None or not header.startswith("Basic "):
            return None
        try:
            email, _, token = base64.b64decode(header[6:], validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        return self._by_login.get((email, token))


def _in_all_groups(company: Company) -> Person:
    groups = sorted({group for person in company.people for group in person.groups})
    return Person(id=BOT.id, name=BOT.name, email=BOT.email, groups=tuple(groups), bot=True)
