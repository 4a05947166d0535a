"""What the questions call a document that the index knows by its id."""

from core.types import Locator
from sandbox.loading import FIRST_ISSUE
from sandbox.records import Company


def file(repo: str, path: str) -> str:
    return f"file:{repo}/{path}"


def commit(repo: str, subject: str) -> str:
    return f"commit:{repo}/{subject}"


class Names:
    """Names documents. A comment, a change or an attachment is called as what it belongs to."""

    def __init__(self, company: Company) -> None:
        self._tickets = {str(FIRST_ISSUE + at): ticket.key for at, ticket in enumerate(company.tickets)}

    def of(self, locator: Locator) -> str:
        """The document's name; its id where the questions have no name for such a document."""
        document = locator.document_id
        kind, _, rest = document.partition(":")
        first, _, part = rest.partition(":")
        if kind == "jira":
            return f"ticket:{self._tickets.get(first, first)}"
        if kind == "confluence":
            return f"page:{first}"
        if kind == "git" and "@" in first:
            return commit(first.partition("@")[0], locator.title)
        if kind == "git":
            return file(first, part)
        return f"qa:{part}" if kind == "qa" else document
