"""Who is who: people, their tokens and groups, and the two accounts that Crosscheck works with."""

import base64
import binascii
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import replace

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
        self._by_token = {token: account_id for account_id, token in self._tokens.items()}
        self._gone: dict[str, bool] = {}
        named = {group for person in company.people for group in person.groups}
        named |= {group for space in company.spaces for group in space.groups}
        named |= {group for page in company.pages for group in page.groups}
        named |= {c.group for ticket in company.tickets for c in ticket.comments if c.group}
        self.groups = tuple(sorted(named))

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
        return next((name for name in self.groups if self.group_id(name) == group_id), None)

    def members(self, group: str) -> Sequence[Person]:
        return [person for person in self.people.values() if group in person.groups]

    def set_groups(self, account_id: str, groups: Sequence[str]) -> None:
        person = replace(self.of(account_id), groups=tuple(groups))
        self.people[account_id] = person
        if person.id == self.bot.id:
            self.bot = person
        self.groups = tuple(sorted({*self.groups, *groups}))

    def deactivate(self, account_id: str, *, deleted: bool = False) -> None:
        """The account cannot log in any more; a deleted one is not even named."""
        self._gone[self.of(account_id).id] = deleted

    def active(self, account_id: str) -> bool:
        return account_id not in self._gone

    def deleted(self, account_id: str) -> bool:
        return self._gone.get(account_id, False)

    def user_key(self, account_id: str) -> str:
        """What Data Center calls an account where its name may change."""
        return f"JIRAUSER{10100 + list(self.people).index(account_id)}"

    def login(self, header: str | None, *, by_name: bool = False) -> Person | None:
        """The account of a Basic authorization header, or None when it is wrong or missing. `by_name`: its id, which
        is Data Center's user name, is as good as its address.
        """
        if header is None or not header.startswith("Basic "):
            return None
        try:
            name, _, token = base64.b64decode(header[6:], validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        person = self.of_token(token)
        if person is None:
            return None
        return person if name == person.email or (by_name and name == person.id) else None

    def of_token(self, token: str) -> Person | None:
        """Whose token this is, if that account may log in."""
        account_id = self._by_token.get(token)
        return self.people[account_id] if account_id is not None and self.active(account_id) else None


def _in_all_groups(company: Company) -> Person:
    groups = sorted({group for person in company.people for group in person.groups})
    return Person(id=BOT.id, name=BOT.name, email=BOT.email, groups=tuple(groups), bot=True)
