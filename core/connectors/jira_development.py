"""A ticket's development panel: the pull requests that its hosts told Jira of.

Jira describes these requests nowhere. A site may not have them, and an account may not be allowed to ask: that is as
usual as a panel without pull requests, and nothing is said of it.
"""

import structlog

from core.connectors.jira_api import JiraApi
from core.connectors.jira_wire import Json, objects, part
from core.errors import SourceError
from core.parsing.markdown import clean

_MOST_HOSTS = 6  # kinds of hosts that one ticket is asked for
_MOST = 100
_LONGEST = 2000  # characters of an address, or of the name of a kind of host

log = structlog.get_logger(__name__)


def pull_addresses(api: JiraApi, issue_id: str) -> tuple[str, ...]:
    """The addresses of the pull requests in the panel, each once."""
    found: dict[str, None] = {}
    try:
        for host in _hosts(api.development_summary(issue_id)):
            for one in objects(api.development_pulls(issue_id, host).get("detail")):
                found |= dict.fromkeys(_addresses(one))
    except SourceError as error:
        log.info("development panel not read", ticket=issue_id, reason=str(error))
    return tuple(found)[:_MOST]


def _hosts(answer: Json) -> list[str]:
    """What the summary calls the kinds of hosts (`GitHub`, `githube`, `stash`, `bitbucket`, `GitLab`, and longer ones
    of apps), first those with pull requests. The others are asked too: it counts some pull requests as branches only.
    """
    summary = part(answer, "summary")
    kinds = sorted((kind for kind in summary if isinstance(kind, str)), key=lambda kind: (kind != "pullrequest", kind))
    hosts = [host for kind in kinds for host in part(part(summary, kind), "byInstanceType")]
    return list(dict.fromkeys(host for host in hosts if 0 < len(host) <= _LONGEST))[:_MOST_HOSTS]


def _addresses(detail: Json) -> list[str]:
    urls = (clean(str(pull.get("url") or "")).strip() for pull in objects(detail.get("pullRequests")))
    return [url for url in urls if url and len(url) <= _LONGEST]
