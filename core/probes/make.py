"""A probe from its settings."""

import re
import socket
import ssl
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote

from requests.utils import DEFAULT_CA_BUNDLE_PATH

from core.errors import SourceForbidden
from core.probes.argocd import ArgoCd
from core.probes.github import HEADERS, GitHub
from core.probes.gitlab import GitLab
from core.probes.guard import Resolve
from core.probes.http import VersionEndpoint
from core.probes.kubernetes import Kubernetes
from core.probes.probe import Vendor, WebProbe
from core.probes.types import Probe
from core.probes.web import Web
from core.pulls.hosts.make import own_api
from core.pulls.hosts.site import Site, quoted
from core.visibility import repository

KINDS = ("http", "kubernetes", "argocd", "github", "gitlab")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_PROJECT = re.compile(r"[\w.-]+(?:/[\w.-]+)+", re.ASCII)
_NEEDED = {
    "http": "`version` or `commit`, the path of a value in its JSON",
    "kubernetes": "`namespace`, and either `deployment` or `selector`",
    "argocd": "`application`",
    "github": "`project`, such as owner/repository",
    "gitlab": "`project`, such as group/project",
}


@dataclass(frozen=True, slots=True)
class Where:
    """What is read at an address, by the kind of the probe. What a kind does not know is passed over."""

    version: str = ""
    """http: where the version is in its JSON, `build.version`."""
    commit: str = ""
    since: str = ""
    dirty: str = ""
    namespace: str = ""
    """kubernetes, as all up to `commit_label`."""
    deployment: str = ""
    selector: str = ""
    container: str = ""
    version_label: str = ""
    commit_label: str = ""
    application: str = ""
    """argocd."""
    image: str = ""
    """argocd: the end of the image's name, where there are several."""
    project: str = ""
    """github and gitlab."""
    environment: str = ""
    """github and gitlab: what it is called there; empty: as here."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Of someone who may read, and nothing else. Empty is none."""

    token: str = field(default="", repr=False)
    user: str = ""
    """With it the token is a password (HTTP Basic)."""
    ca: str = ""
    """The file of the authority that is trusted, and no other then."""
    certificate: str = ""
    """The file of a client certificate."""
    key: str = ""


def make_probe(
    kind: str,
    *,
    name: str,
    environment: str,
    repo: str,
    url: str,
    where: Where,
    credentials: Credentials | None = None,
    labels: frozenset[str] = frozenset(),
    link: str = "",
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    resolve: Resolve = socket.getaddrinfo,
) -> Probe:
    """`url` is the address of the version endpoint, of Kubernetes' or Argo CD's API, or of the pages of GitHub or
    GitLab. Without `labels`, all who may read the repository may know what is read.

    Raises SourceForbidden for settings that cannot be: an address that is none, what a kind needs and lacks, a file of
    a certificate that cannot be read.
    """
    by = credentials or Credentials()
    try:
        site = Site.at(url).url
    except SourceForbidden as error:
        raise SourceForbidden(
            f"the address of probe {name} must be one such as https://booking.example.com/version, without a user, a "
            "query or a fragment"
        ) from error
    vendor = _vendor(kind, where, repo, environment)
    if vendor is None:
        raise SourceForbidden(f"probe {name}, of kind {kind}, needs {_NEEDED[kind]}")
    headers = _headers(kind, by, name)
    tls = _tls(by, name) if site.startswith("https:") else None
    api = own_api(kind, site) if kind in {"github", "gitlab"} else site
    web = Web(api, headers, tls=tls, resolve=resolve)
    page = link or _page(kind, site, where, environment)
    return WebProbe(name, environment, repo, labels or frozenset({repository(repo)}), page, web, vendor, clock)


def _vendor(kind: str, where: Where, repo: str, environment: str) -> Vendor | None:
    """None where something that the kind needs is missing or cannot be. Raises SourceForbidden for no kind."""
    there = where.environment or environment
    match kind:
        case "http":
            endpoint = VersionEndpoint(where.version, where.commit, where.since, where.dirty)
            return endpoint if where.version or where.commit else None
        case "kubernetes":
            names = (where.namespace, where.deployment or "pods")
            cluster = Kubernetes(
                where.namespace,
                where.deployment,
                where.selector,
                where.container,
                where.version_label,
                where.commit_label,
            )
            one = bool(where.deployment) != bool(where.selector)
            return cluster if one and all(map(_NAME.fullmatch, names)) else None
        case "argocd":
            fits = all(map(_NAME.fullmatch, where.application.split("/", 1)))
            return ArgoCd(where.application, repo, where.image) if fits else None
        case "github":
            return GitHub(where.project, there) if _is_project(where.project) else None
        case "gitlab":
            return GitLab(where.project, there) if _is_project(where.project) else None
    raise SourceForbidden(f"{kind!r} is no kind of probe; it is one of {', '.join(KINDS)}")


def _is_project(text: str) -> bool:
    return bool(_PROJECT.fullmatch(text)) and {".", ".."}.isdisjoint(text.split("/"))


def _headers(kind: str, by: Credentials, name: str) -> Mapping[str, str]:
    if not (by.token.isascii() and by.token.isprintable()) or " " in by.token:
        raise SourceForbidden(f"the token of probe {name} holds characters that no token has")
    vendors = HEADERS if kind == "github" else {}
    if not by.token:
        return vendors
    if kind == "gitlab":
        return {"PRIVATE-TOKEN": by.token}
    if by.user:
        return {**vendors, "Authorization": f"Basic {b64encode(f'{by.user}:{by.token}'.encode()).decode()}"}
    return {**vendors, "Authorization": f"Bearer {by.token}"}


def _tls(by: Credentials, name: str) -> ssl.SSLContext:
    """Without an authority of its own, those of the system and those that come with `requests` are trusted."""
    try:
        context = ssl.create_default_context(cafile=by.ca or None)
        if not by.ca:
            context.load_verify_locations(DEFAULT_CA_BUNDLE_PATH)
        if by.certificate:
            context.load_cert_chain(by.certificate, by.key or None, password=lambda: "")
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise SourceForbidden(
            f"the certificate files of probe {name} cannot be used: `ca`, `client_certificate` and `client_key` must "
            "be files of PEM that can be read here, and the key must be without a passphrase"
        ) from error
    return context


def _page(kind: str, site: str, where: Where, environment: str) -> str:
    match kind:
        case "argocd":
            return f"{site}/applications/{where.application}"
        case "github":
            there = quote(where.environment or environment, safe="")
            return f"{site}/{quoted(where.project)}/deployments/{there}"
        case "gitlab":
            return f"{site}/{quoted(where.project)}/-/environments"
    return ""
