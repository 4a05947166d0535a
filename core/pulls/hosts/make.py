"""A host from its settings."""

from urllib.parse import urlsplit

from core.connectors.http import Limits
from core.errors import SourceForbidden
from core.pulls.hosts.api import LIMITS
from core.pulls.hosts.bitbucket_cloud import BitbucketCloud
from core.pulls.hosts.bitbucket_data_center import BitbucketDataCenter
from core.pulls.hosts.github import GitHub
from core.pulls.hosts.gitlab import GitLab
from core.pulls.hosts.site import Site
from core.pulls.types import Host


def make_host(kind: str, url: str, *, api: str = "", user: str = "", token: str = "", limits: Limits = LIMITS) -> Host:
    """`kind` is github, gitlab, bitbucket-cloud or bitbucket-data-center; `api` is the address of its API, where that
    is not the vendor's own.

    Raises SourceForbidden for a missing token, an address that is none, and a kind that is not known.
    """
    url = Site.at(url).url
    if not token:
        raise SourceForbidden(
            f"there is no token for {url}: make one there that can read repositories and pull requests and nothing "
            "else, and set it as the settings say"
        )
    api = Site.at(api or own_api(kind, url)).url
    match kind:
        case "github":
            return GitHub(url, api, token, limits)
        case "gitlab":
            return GitLab(url, api, token, limits)
        case "bitbucket-cloud":
            return BitbucketCloud(url, api, user, token, limits)
        case "bitbucket-data-center":
            return BitbucketDataCenter(url, api, token, limits)
    raise SourceForbidden(
        f"{kind!r} is no kind of host; it is one of github, gitlab, bitbucket-cloud, bitbucket-data-center"
    )


def own_api(kind: str, url: str) -> str:
    """Where the vendor has the API of pages at `url`."""
    host = urlsplit(url).hostname or ""
    match kind:
        case "github" if host == "github.com" or host.endswith(".ghe.com"):
            return f"https://api.{host}"
        case "github":
            return f"{url}/api/v3"
        case "gitlab":
            return f"{url}/api/v4"
        case "bitbucket-cloud":
            return "https://api.bitbucket.org/2.0" if host == "bitbucket.org" else f"{url}/2.0"
    return f"{url}/rest/api/latest"
