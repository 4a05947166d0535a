"""Which page of the index an address or a title means. No address is ever fetched."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from core.types import Evidence


def document_of(url: str, title: str, candidates: Iterable[Evidence]) -> str | None:
    """The id of the one document that an address leads to: by the page's id in it, by its title on the same host, or
    by the address itself of a file.
    """
    page, title = page_id(url), title.strip()
    on_host = [one for one in candidates if _host(one.locator.url) == _host(url)]
    by_id = [one for one in on_host if page and page_id(one.locator.url) == page]
    by_title = [one for one in on_host if title and one.attributes.get("title") == title]
    by_path = [one for one in on_host if file_name(url) and _bare(one.locator.url) == _bare(url)]
    for found in (by_id, by_title, by_path):
        documents = {one.document_id for one in found}
        if len(documents) == 1:
            return documents.pop()
    return None


def page_id(url: str) -> str | None:
    """Of a Confluence page's address, in the long form and the short one that Jira stores."""
    match = re.search(r"/pages/(\d{1,19})(?=[/?#]|$)|[?&]pageId=(\d{1,19})(?=[&#]|$)", url)
    return match and (match[1] or match[2])


def file_name(url: str) -> str | None:
    """The name of the file that an address ends in."""
    match = re.search(r"/([^/?#]{1,200}\.[A-Za-z0-9]{1,10})(?=[?#]|$)", url)
    return match and match[1]


def _bare(url: str) -> str:
    return url.partition("#")[0].partition("?")[0]


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:  # no address at all, such as http://[
        return None
