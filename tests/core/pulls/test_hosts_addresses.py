"""Addresses of pull requests: those of this very host and of configured repositories, and no others."""

import time
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CoreError
from core.pulls.hosts.make import make_host
from core.pulls.hosts.site import Site
from core.pulls.types import PullRef

PROJECTS = {"booking": "acme/Booking-API", "web": "acme/web"}
DEEP = {"booking": "acme/travel/Booking-API"}
OWN = {"booking": "~anna/tools"}

HOSTS = {
    "github": make_host("github", "https://github.com", token="t"),
    "enterprise": make_host("github", "https://git.example.com:8443/", token="t"),
    "gitlab": make_host("gitlab", "https://gitlab.example.com/git", token="t"),
    "cloud": make_host("bitbucket-cloud", "https://bitbucket.org", token="t"),
    "data-center": make_host("bitbucket-data-center", "https://example.com/bitbucket", token="t"),
}


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("github", "https://github.com/acme/booking-api/pull/7"),
        ("github", "http://github.com/acme/booking-api/pull/7"),
        ("github", "https://GitHub.com:443/Acme/Booking-API/pull/7/files?w=1#diff-ä%20"),
        ("github", "https://github.com/acme/booking-api/pull/7/commits/abcdef1"),
        ("github", "https://github.com/acme/booking-api/pull/7/"),
        ("github", "https://api.github.com/repos/acme/booking-api/pulls/7"),
        ("enterprise", "https://git.example.com:8443/acme/booking-api/pull/7#issuecomment-1"),
        ("enterprise", "https://git.example.com:8443/api/v3/repos/acme/booking-api/pulls/7"),
        ("gitlab", "https://gitlab.example.com/git/acme/booking-api/-/merge_requests/7/diffs"),
        ("gitlab", "https://gitlab.example.com/git/acme/booking-api/merge_requests/7"),
        ("gitlab", "https://gitlab.example.com/git/api/v4/projects/acme%2fbooking-api/merge_requests/7"),
        ("cloud", "https://bitbucket.org/acme/booking-api/pull-requests/7/diff"),
        ("cloud", "https://api.bitbucket.org/2.0/repositories/acme/booking-api/pullrequests/7"),
        ("data-center", "https://example.com/bitbucket/projects/ACME/repos/booking-api/pull-requests/7/overview"),
        (
            "data-center",
            "https://example.com/bitbucket/rest/api/latest/projects/ACME/repos/booking-api/pull-requests/7",
        ),
    ],
)
def test_forms_that_point_to_a_pull_request(host, address):
    assert HOSTS[host].in_address(address, PROJECTS) == PullRef("booking", 7)


def test_deeper_and_personal_projects():
    address = "https://gitlab.example.com/git/acme/travel/booking-api/-/merge_requests/7"
    assert HOSTS["gitlab"].in_address(address, DEEP) == PullRef("booking", 7)
    address = "https://example.com/bitbucket/users/anna/repos/tools/pull-requests/7"
    assert HOSTS["data-center"].in_address(address, OWN) == PullRef("booking", 7)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "github.com/acme/booking-api/pull/7",
        "ftp://github.com/acme/booking-api/pull/7",
        "https://github.com/acme/booking-api/pull/07",
        "https://github.com/acme/booking-api/pull/0",
        "https://github.com/acme/booking-api/pull/-7",
        "https://github.com/acme/booking-api/pull/\u0667",
        "https://github.com/acme/booking-api/pull/77777777777",
        "https://github.com/acme/booking-api/issues/7",
        "https://github.com/acme/booking-api/pull",
        "https://github.com/acme/other/pull/7",
        "https://github.com/evil/booking-api/pull/7",
        "https://github.com/x/acme/booking-api/pull/7",
        "https://github.com.evil.example/acme/booking-api/pull/7",
        "https://www.github.com/acme/booking-api/pull/7",
        "https://github.com./acme/booking-api/pull/7",
        "https://github.com:8443/acme/booking-api/pull/7",
        "http://github.com:80/acme/booking-api/pull/7",
        "https://github.com@evil.example/acme/booking-api/pull/7",
        "https://evil.example@github.com/acme/booking-api/pull/7",
        "https://evil.example\\@github.com/acme/booking-api/pull/7",
        "https://github.com\\acme/booking-api/pull/7",
        "https:/github.com/acme/booking-api/pull/7",
        "https://evil.example#@github.com/acme/booking-api/pull/7",
        "https://evil.example?@github.com/acme/booking-api/pull/7",
        "https://\u0261ithub.com/acme/booking-api/pull/7",
        "https://github\u3002com/acme/booking-api/pull/7",
        "https://github.com/acme/booking\u2010api/pull/7",
        "https://github.com/acme/x/../booking-api/pull/7",
        "https://github.com/acme/./booking-api/pull/7",
        "https://github.com//acme/booking-api/pull/7",
        "https://github.com/acme%2Fbooking-api/pull/7",
        "https://github.com/acme/booking%2Dapi/pull/7",
        "https://github.com/acme/%2e%2e/acme/booking-api/pull/7",
        "https://github.com/acme/booking-api/pull/7\n",
        " https://github.com/acme/booking-api/pull/7",
        "https://github.com/acme/booking-api/pull/7" + "/a" * 2000,
        "https://api.github.com/acme/booking-api/pull/7",
        "https://github.com/repos/acme/booking-api/pulls/7",
    ],
)
def test_what_is_of_another_place_or_not_written_plainly(address):
    assert HOSTS["github"].in_address(address, PROJECTS) is None


@pytest.mark.parametrize(
    "address",
    [
        "https://gitlab.example.com/acme/booking-api/-/merge_requests/7",
        "https://gitlab.example.com/git/-/merge_requests/7",
        "https://gitlab.example.com/git/merge_requests/7",
        "https://gitlab.example.com/git/acme/booking-api/-/merge_requests",
        "https://gitlab.example.com/git/acme%2Fbooking-api/-/merge_requests/7",
        "https://gitlab.example.com/git/api/v4/projects/acme%252Fbooking-api/merge_requests/7",
        "https://gitlab.example.com/gitx/acme/booking-api/-/merge_requests/7",
    ],
)
def test_what_is_no_merge_request_of_a_context_path(address):
    assert HOSTS["gitlab"].in_address(address, PROJECTS) is None


_HOSTNAMES = st.sampled_from(
    ["github.com", "api.github.com", "git.example.com", "bitbucket.org", "example.com", "evil.example", "[::1]"]
)
_MARKS = ["/", "//", ":", "@", "\\", "?", "#", ".", "..", "%2F", "%2e", ":443", ":8443", "u:p@", "\u200b", "\t", "ä"]
_NAMES = ["acme", "booking-api", "pull", "pulls", "7", "-", "merge_requests", "projects", "repos", "bitbucket", "git"]
_PIECES = st.sampled_from([*_MARKS, *_NAMES, "api/v3", "pull-requests", "github.com", "evil.example"])
_ADDRESSES = st.one_of(
    st.text(),
    st.builds(
        "{}://{}{}".format, st.sampled_from(["http", "https", "HTTPS"]), _HOSTNAMES, st.lists(_PIECES).map("".join)
    ),
    st.builds(
        "https://{}/acme/booking-api/pull/7{}".format,
        st.lists(st.one_of(_HOSTNAMES, _PIECES), min_size=1, max_size=5).map("".join),
        st.text(max_size=5),
    ),
)


@given(_ADDRESSES, st.sampled_from(sorted(HOSTS)))
def test_no_address_of_another_host_is_ever_taken(address, name):
    """By the word of another parser, which is the one that requests are made with."""
    if HOSTS[name].in_address(address, PROJECTS) is None:
        return
    parts = urlsplit(address)
    sites = {
        "github": {("github.com", None), ("github.com", 443), ("api.github.com", None), ("api.github.com", 443)},
        "enterprise": {("git.example.com", 8443)},
        "gitlab": {("gitlab.example.com", None), ("gitlab.example.com", 443)},
        "cloud": {("bitbucket.org", None), ("bitbucket.org", 443), ("api.bitbucket.org", None)},
        "data-center": {("example.com", None), ("example.com", 443)},
    }
    assert (parts.hostname, parts.port) in sites[name]
    assert parts.username is None
    assert "acme/booking-api" in parts.path.lower().replace("%2f", "/").replace("repos/", "")


@given(st.text())
def test_what_a_site_takes_is_below_it(address):
    site = Site.at("https://example.com/bitbucket")
    way = site.way(address)
    assert way is None or address.lower().startswith(("https://example.com", "http://example.com"))


def test_an_address_is_read_in_a_time_that_grows_as_its_length():
    began = time.monotonic()
    for piece in ("/a", "%2F", "/-", "/merge_requests", ".", "~"):
        HOSTS["gitlab"].in_address("https://gitlab.example.com/git" + piece * 200_000, PROJECTS)
    assert time.monotonic() - began < 1


@pytest.mark.parametrize(
    ("kind", "url", "token"),
    [
        ("github", "https://github.com", ""),
        ("gitea", "https://git.example.com", "t"),
        ("github", "git.example.com", "t"),
        ("github", "https://user:secret@git.example.com", "t"),
        ("github", "https://git.example.com/?a=1", "t"),
        ("github", "ssh://git.example.com", "t"),
        ("github", "https://git.example.com:port", "t"),
    ],
)
def test_a_host_that_cannot_be_made_says_what_to_do(kind, url, token):
    with pytest.raises(CoreError) as raised:
        make_host(kind, url, token=token)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("host", "page"),
    [
        ("github", "https://github.com/acme/web/blob/abc/src/a%20b%23.py#L3"),
        ("gitlab", "https://gitlab.example.com/git/acme/web/-/blob/abc/src/a%20b%23.py#L3"),
        ("cloud", "https://bitbucket.org/acme/web/src/abc/src/a%20b%23.py#lines-3"),
        ("data-center", "https://example.com/bitbucket/projects/acme/repos/web/browse/src/a%20b%23.py?at=abc#3"),
    ],
)
def test_pages_of_files(host, page):
    assert HOSTS[host].page("acme/web", "abc", "src/a b#.py", 3) == page
    assert HOSTS[host].page("acme/web", "abc", "src/a b#.py", None) == page.partition("#")[0].replace("%23", "%23")
    assert HOSTS[host].page("acme/web", "abc", "\udce9.py", None).partition("?")[0].endswith("/%E9.py")
