"""The one seam to Confluence. Cloud and Data Center speak differently behind it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from core.connectors.confluence_cloud import ConfluenceCloud
from core.connectors.confluence_data_center import ConfluenceDataCenter
from core.connectors.confluence_records import Attachment, Child, Comment, Page, Space, Version
from core.connectors.http import Limits


class ConfluenceApi(Protocol):
    """Reads of one site with one account.

    Raises SourceGone for what does not exist, is in the trash or is hidden; other errors as
    `core.connectors.http.Http` does. A listing that ends before its end raises SourceIncomplete.
    """

    @property
    def site(self) -> str:
        """The address below which pages, files and the API are found, without a slash at its end."""

    def spaces(self, keys: Sequence[str]) -> list[Space]:
        """Those of these spaces that the account sees."""

    def pages(self, space: Space) -> Iterator[Page]:
        """All current and archived pages of a space."""

    def page(self, page_id: str, *, body: bool = True) -> Page:
        """A page with its labels, and with its body if wanted."""

    def some_pages(self, page_ids: Sequence[str], *, body: bool) -> list[Page]:
        """Those of these pages that exist and are shown. Labels need not be there."""

    def find(self, space: Space, title: str) -> Page | None:
        """A page by its title, as a listing shows it."""

    def including(self, spaces: Sequence[Space]) -> list[str]:
        """Ids of the pages that include others, as far as the search index has come."""

    def ancestors(self, page_id: str) -> list[str]:
        """Ids of everything that a page stands below, in no order."""

    def versions(self, page: Page, most: int) -> list[Version]:
        """The versions before this one of a page, newest first, no more than so many."""

    def children(self, page_id: str, most: int) -> list[Child]:
        """The current pages right below a page, in the order that people see, no more than so many."""

    def read_restriction(self, content_id: str) -> tuple[frozenset[str], frozenset[str]]:
        """Groups and users to whom reading is restricted at this very page; both empty when it adds no restriction."""

    def comments(self, spaces: Sequence[Space], *, body: bool) -> Iterator[Comment]:
        """All comments on pages of these spaces, and maybe others."""

    def comments_of(self, page_id: str) -> Iterator[Comment]:
        """All comments on a page with their bodies, in no order. Where there are more than can be asked for, it ends
        with SourceIncomplete.
        """

    def comment(self, comment_id: str) -> Comment:
        """A comment with its body."""

    def attachments(self, spaces: Sequence[Space]) -> Iterator[Attachment]:
        """All attachments of pages of these spaces, and maybe others."""

    def attachments_of(self, page_id: str) -> Iterator[Attachment]:
        """All attachments of a page."""

    def attachment(self, attachment_id: str) -> Attachment:
        """An attachment as it is now, without its content."""

    def download(self, attachment: Attachment) -> bytes:
        """Its content. Raises SourceError when it is larger than was agreed."""

    def names(self, users: Iterable[str]) -> dict[str, str]:
        """Display names of those that may be known."""


def connect(site: str, user: str, token: str, limits: Limits, largest: int) -> ConfluenceApi:
    """The API of a site. A token without a user is a personal access token, which only Data Center has; with the
    user's address it is Cloud's. `largest` is how many bytes a download may have.
    """
    if user:
        return ConfluenceCloud(site, user, token, limits, largest)
    return ConfluenceDataCenter(site, token, limits, largest)
