"""What `crosscheck doctor` says where Jira or Confluence refuses an account of ours: why, and the one thing to do."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from bots.errors import Unavailable
from core.errors import SourceUnavailable
from crosscheck.checks import Check, sentence
from crosscheck.errors import BadSettings
from crosscheck.operations import EXPECTED

_REFUSED = re.compile(r"\b401\b|does not accept")
_NOT_THERE = re.compile(r"\b404\b")


@dataclass(frozen=True, slots=True)
class Account:
    """Who signs in, by the names of its settings."""

    product: str
    """Jira or Confluence."""
    setting: str
    """jira.post_user"""
    user: str
    """What is set there; empty where the token alone says who."""
    variable: str
    """The environment variable of its token."""

    @property
    def called(self) -> str:
        return self.setting if self.user else f"the account of {self.variable}"

    @property
    def _site(self) -> str:
        return f"{self.product.lower()}.site"

    def tried(self, name: str, look: Callable[[], str], needs: str) -> tuple[Check, bool]:
        """The check, and whether the account can be asked for more. `needs` is what to do where it may not see or do
        something that it is asked for.
        """
        try:
            return Check(name, "ok", look()), True
        except BadSettings as error:  # it says what to do
            return Check(name, "failed", sentence(str(error))), False
        except EXPECTED as error:
            return self._failed(name, error, needs)

    def _failed(self, name: str, error: Exception, needs: str) -> tuple[Check, bool]:
        says = str(error)
        if getattr(error, "retry_after", None):
            return Check(name, "failed", sentence(says), "Try again later: too much is asked of it just now."), False
        if _REFUSED.search(says):
            return Check(name, "failed", self._unaccepted(says), self._other_login()), False
        if _NOT_THERE.search(says):
            return Check(name, "failed", sentence(says), f"Check {self._site}.{self._other_kind()}"), False
        if isinstance(error, Unavailable | SourceUnavailable):
            return Check(name, "failed", sentence(says), f"Check {self._site} and the network of this host."), False
        return Check(name, "failed", sentence(says), needs), True

    def _unaccepted(self, says: str) -> str:
        who = f"{self.setting} with {self.variable}" if self.user else self.variable
        return f"{self.product} does not accept {who}{' (401)' if '401' in says else ''}."

    def _other_login(self) -> str:
        if self.user:
            return "Check both."
        return f"Check it; on Cloud, set {self.setting} to the account's e-mail address as well."

    def _other_kind(self) -> str:
        """Confluence is taken for Cloud or Data Center by whether there is a user. Jira says itself what it is."""
        if self.product != "Confluence":
            return ""
        if self.user:
            return f" With {self.setting} it is taken for Cloud; leave it empty for a Data Center."
        return f" Without {self.setting} it is taken for a Data Center; a Cloud site needs it."
