"""The four hosts' clients: what they ask, what they make of the answers, and where their tokens go."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable
from core.pulls.hosts.make import make_host
from core.pulls.types import PullRef, PullRequest
from tests.core.pulls import host_answers as of
from tests.core.pulls.hosting import HEAD, MERGE, QUICK, SQUASH, scripted

TOKEN = "t0ps3cret"
REF = PullRef("web", 7)
KINDS = {
    "github": ("/api/v3/repos/acme/web/pulls/7", of.github, "/acme/web/pull/7"),
    "gitlab": ("/api/v4/projects/acme%2Fweb/merge_requests/7", of.gitlab, "/acme/web/-/merge_requests/7"),
    "bitbucket-cloud": ("/2.0/repositories/acme/web/pullrequests/7", of.cloud, "/acme/web/pull-requests/7"),
    "bitbucket-data-center": (
        "/rest/api/latest/projects/acme/repos/web/pull-requests/7",
        of.data_center,
        "/projects/acme/repos/web/pull-requests/7",
    ),
}
LISTS = {
    "github": "/api/v3/repos/acme/web/pulls",
    "gitlab": "/api/v4/projects/acme%2Fweb/merge_requests",
    "bitbucket-cloud": "/2.0/repositories/acme/web/pullrequests",
    "bitbucket-data-center": "/rest/api/latest/projects/acme/repos/web/pull-requests",
}
OF_COMMIT = {
    "github": f"/api/v3/repos/acme/web/commits/{HEAD}/pulls",
    "gitlab": f"/api/v4/projects/acme%2Fweb/repository/commits/{HEAD}/merge_requests",
    "bitbucket-cloud": f"/2.0/repositories/acme/web/commit/{HEAD}/pullrequests",
    "bitbucket-data-center": f"/rest/api/latest/projects/acme/repos/web/commits/{HEAD}/pull-requests",
}
CLOUD_COMMIT = "/2.0/repositories/acme/web/commit/"
every = pytest.mark.parametrize("kind", sorted(KINDS))


@pytest.fixture
def server():
    with scripted() as running:
        yield running


def host_of(server, kind, **options):
    made = {"token": TOKEN, "limits": QUICK, **options}
    return make_host(kind, server.url, **made)


def pull_of(server, kind, **changed):
    """The pull request that is made of a host's answer with these changes."""
    path, make, _ = KINDS[kind]
    server.answers[path] = make(**changed)
    for full in (HEAD, MERGE, SQUASH):
        server.answers[f"{CLOUD_COMMIT}{full[:12]}"] = {"type": "commit", "hash": full}
    return host_of(server, kind).pull(REF, "acme/web")


def list_of(kind, *items):
    return list(items) if kind in {"github", "gitlab"} else of.listed(list(items))


@every
def test_a_pull_request(server, kind):
    counted = {"github": 3, "gitlab": 3}.get(kind)
    assert pull_of(server, kind) == PullRequest(
        ref=REF,
        title="BKG-142 Hold bookings",
        description="Why\nand how",
        url=server.url + KINDS[kind][2],
        state="open",
        head=HEAD,
        head_branch="feature/x",
        base_branch="main",
        author="anna",
        changed_files=counted,
        updated=datetime(2026, 3, 2, 9, tzinfo=UTC),
    )


@every
def test_states(server, kind):
    closed = {
        "github": {"state": "closed"},
        "gitlab": {"state": "closed"},
        "bitbucket-cloud": {"state": "SUPERSEDED"},
        "bitbucket-data-center": {"state": "DECLINED"},
    }
    assert pull_of(server, kind, draft=True).state == "draft"
    found = pull_of(server, kind, **closed[kind])
    assert (found.state, found.merge_commit) == ("closed", None)
    assert pull_of(server, kind, draft=True, **closed[kind]).state == "closed"


def test_states_of_one_vendor_alone(server):
    assert pull_of(server, "gitlab", state="locked").state == "open"
    assert pull_of(server, "gitlab", draft=None, work_in_progress=True).state == "draft"
    assert pull_of(server, "bitbucket-cloud", state="DECLINED").state == "closed"


@every
def test_merged(server, kind):
    merged = {
        "github": {"state": "closed", "merged": True, "merge_commit_sha": MERGE},
        "gitlab": {"state": "merged", "merge_commit_sha": MERGE, "squash_commit_sha": SQUASH},
        "bitbucket-cloud": {"state": "MERGED", "merge_commit": {"hash": MERGE[:12]}},
        "bitbucket-data-center": {"state": "MERGED", "properties": {"mergeCommit": {"id": MERGE}}},
    }
    found = pull_of(server, kind, **merged[kind])
    assert (found.state, found.merge_commit) == ("merged", MERGE)
    untold = {
        "github": {"merge_commit_sha": None},
        "gitlab": {"merge_commit_sha": None, "squash_commit_sha": None},
        "bitbucket-cloud": {"merge_commit": None},
        "bitbucket-data-center": {"properties": {}},
    }
    found = pull_of(server, kind, **{**merged[kind], **untold[kind]})
    assert (found.state, found.merge_commit) == ("merged", None)


def test_merged_by_a_squash(server):
    found = pull_of(server, "gitlab", state="merged", squash_commit_sha=SQUASH)
    assert found.merge_commit == SQUASH


@every
@pytest.mark.parametrize("gone", [False, True])
def test_forks(server, kind, gone):
    fork = None if gone else {"id": 9, "uuid": "{9}", "full_name": "anna/web"}
    changed = {
        "github": {"head": {"ref": "x", "sha": HEAD, "repo": fork}},
        "gitlab": {"source_project_id": fork and 9},
        "bitbucket-cloud": {
            "source": {"repository": fork, "branch": {"name": "x"}, "commit": {"hash": HEAD[:12]}},
        },
        "bitbucket-data-center": {"fromRef": {"id": "refs/heads/x", "latestCommit": HEAD, "repository": fork}},
    }
    found = pull_of(server, kind, **changed[kind])
    assert (found.from_fork, found.fork_gone, found.head) == (True, gone, HEAD)


def test_a_head_that_bitbucket_cloud_has_in_a_fork_only(server):
    path, make, _ = KINDS["bitbucket-cloud"]
    server.answers |= {path: make(), f"{path}/commits": of.listed([{"hash": "f" * 40}, {"hash": HEAD}])}
    assert host_of(server, "bitbucket-cloud").pull(REF, "acme/web").head == HEAD
    del server.answers[f"{path}/commits"]
    with pytest.raises(SourceGone):
        host_of(server, "bitbucket-cloud").pull(REF, "acme/web")


def test_a_push_to_bitbucket_cloud_between_two_requests(server):
    """The commit that the first answer names is gone when it is asked for."""
    path, make, _ = KINDS["bitbucket-cloud"]
    server.answers[f"{CLOUD_COMMIT}{HEAD[:12]}"] = {"type": "commit", "hash": HEAD}
    before = make(source={"commit": {"hash": "f" * 12}})
    server.answers[path] = [(200, {}, before), (200, {}, make())]
    assert host_of(server, "bitbucket-cloud").pull(REF, "acme/web").head == HEAD


@every
@pytest.mark.parametrize("head", [None, "", "main", "-" * 40, 7])
def test_a_head_that_is_no_commit_is_none(server, kind, head):
    changed = {
        "github": {"head": {"sha": head}},
        "gitlab": {"sha": head},
        "bitbucket-cloud": {"source": {"commit": {"hash": head}}},
        "bitbucket-data-center": {"fromRef": {"latestCommit": head}},
    }
    with pytest.raises(SourceGone):
        pull_of(server, kind, **changed[kind])


@every
def test_what_is_missing_or_malformed_reads_as_absent(server, kind):
    _, make, _ = KINDS[kind]
    kept = {"head", "sha", "source", "fromRef"}
    found = pull_of(server, kind, **{name: ["?"] for name in make() if name not in kept})
    assert (found.title, found.description, found.author, found.base_branch) == ("", "", "", "")
    assert (found.state, found.merge_commit, found.updated) == ("closed", None, None)


def test_credentials_and_endless_texts_do_not_enter(server):
    secret = "ghp_" + "a1B2" * 9
    found = pull_of(server, "github", title=f"BKG-1 {secret}", body=f"{secret}\n" + "word " * 50_000)
    assert secret not in found.title + found.description
    assert len(found.description) < 51_000
    assert found.description.endswith("[the description was cut here]")


@every
@pytest.mark.parametrize(
    ("status", "error"), [(404, SourceGone), (401, SourceForbidden), (403, SourceForbidden), (503, SourceUnavailable)]
)
def test_refusals(server, kind, status, error):
    server.answers[KINDS[kind][0]] = (status, {}, {"message": "no"})
    with pytest.raises(error):
        host_of(server, kind).pull(REF, "acme/web")
    assert len(server.asked) == (2 if status == 503 else 1)


@every
def test_answers_of_another_shape(server, kind):
    server.answers[KINDS[kind][0]] = (200, {}, [1])
    server.answers[LISTS[kind]] = (200, {}, "text")
    with pytest.raises(SourceUnavailable):
        host_of(server, kind).pull(REF, "acme/web")
    with pytest.raises(SourceUnavailable):
        host_of(server, kind).with_text("web", "acme/web", of.KEY)


def test_an_answer_beyond_its_limit(server):
    server.answers[KINDS["github"][0]] = of.github(body="x" * 9_000_000)
    with pytest.raises(SourceError, match="more than"):
        host_of(server, "github").pull(REF, "acme/web")


def test_a_rate_limit_of_github_is_waited_for(server):
    path = KINDS["github"][0]
    server.answers[path] = [(403, {"Retry-After": "0.1"}, {"message": "secondary rate limit"}), (200, {}, of.github())]
    assert host_of(server, "github").pull(REF, "acme/web").head == HEAD
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}
    server.answers[path] = (403, spent, {"message": "API rate limit exceeded"})
    with pytest.raises(SourceUnavailable) as raised:
        host_of(server, "github").pull(REF, "acme/web")
    assert raised.value.retry_after == 86_400


@every
def test_by_text(server, kind):
    _, make, _ = KINDS[kind]
    number = "iid" if kind == "gitlab" else "number" if kind == "github" else "id"
    branch = {
        "github": {"head": {"ref": "feature/bkg-142-x", "sha": HEAD}},
        "gitlab": {"source_branch": "feature/bkg-142-x"},
        "bitbucket-cloud": {"source": {"branch": {"name": "feature/bkg-142-x"}}},
        "bitbucket-data-center": {"fromRef": {"id": "refs/heads/feature/bkg-142-x"}},
    }
    server.answers[LISTS[kind]] = list_of(
        kind,
        make(**{number: 3}),
        make(**{number: 4, "title": "BKG-1421 Other"}),
        make(**{number: 5, "title": "Other", **branch[kind]}),
        make(**{number: "6"}),
    )
    found = host_of(server, kind).with_text("web", "acme/web", of.KEY)
    assert found == [PullRef("web", 5), PullRef("web", 3)]
    assert len(server.asked) == 1


@every
def test_by_commit(server, kind):
    _, make, _ = KINDS[kind]
    server.answers[OF_COMMIT[kind]] = list_of(kind, make(), make())
    assert host_of(server, kind).with_commit("web", "acme/web", HEAD) == [REF]


def test_a_commit_in_other_projects_of_gitlab_and_without_an_index_at_bitbucket(server):
    fork = of.gitlab(iid=9, references={"full": "anna/web!9"})
    server.answers[OF_COMMIT["gitlab"]] = [fork, of.gitlab()]
    assert host_of(server, "gitlab").with_commit("web", "acme/web", HEAD) == [REF]
    assert host_of(server, "bitbucket-cloud").with_commit("web", "acme/web", HEAD) == []


def test_a_full_list_is_completed_by_the_search(server):
    many = [of.github(number=n, title="Other") for n in range(100, 150)]
    server.answers |= {LISTS["github"]: many, "/api/v3/search/issues": {"items": [of.github(), of.github(title="x")]}}
    assert host_of(server, "github").with_text("web", "acme/web", of.KEY) == [REF]
    assert server.paths() == [LISTS["github"], "/api/v3/search/issues"]
    server.answers[LISTS["gitlab"]] = [
        (200, {}, [of.gitlab(iid=n, title="Other") for n in range(100, 150)]),
        (200, {}, [of.gitlab()]),
    ]
    assert host_of(server, "gitlab").with_text("web", "acme/web", of.KEY) == [REF]
    server.answers[LISTS["bitbucket-data-center"]] = [
        (200, {}, of.listed([], isLastPage=False)),
        (200, {}, of.listed([of.data_center()])),
    ]
    assert host_of(server, "bitbucket-data-center").with_text("web", "acme/web", of.KEY) == [REF]


@every
def test_the_token_goes_to_the_api_alone(server, kind):
    with scripted() as other:
        path, make, _ = KINDS[kind]
        other.answers[path] = make()
        server.answers[path] = (302, {"Location": other.url + path}, {})
        with pytest.raises(SourceForbidden, match="elsewhere"):
            host_of(server, kind).pull(REF, "acme/web")
        assert other.asked == []
        assert TOKEN in str(server.asked[0].headers) or "basic" in server.asked[0].headers["authorization"].lower()


@pytest.mark.parametrize(
    "location",
    [
        "//evil.example/api/v3/repositories/5/pulls/7",
        "https://127.0.0.1/api/v3/repositories/5/pulls/7",
        "{url}/login",
        "{url}/api/v3/../../login",
        "{url}/api/v3/%2e%2e/login",
        "{url}/api/v3\\@evil.example/x",
        "http://user@{host}/api/v3/repositories/5/pulls/7",
        "//[bad",
        "{url}/api/v3/repos/acme/web/pulls/7",
    ],
)
def test_redirects_that_are_not_followed(server, location):
    path = KINDS["github"][0]
    to = location.format(url=server.url, host=server.url.removeprefix("http://"))
    server.answers |= {path: (301, {"Location": to}, {}), "/login": of.github()}
    with pytest.raises((SourceForbidden, SourceUnavailable)):
        host_of(server, "github").pull(REF, "acme/web")
    assert set(server.paths()) == {path}
    assert len(server.asked) <= 3


@pytest.mark.parametrize("base", ["", "{url}"])
def test_a_renamed_repository_is_followed_within_the_api(server, base):
    to = base.format(url=server.url) + "/api/v3/repositories/5/pulls/7"
    server.answers |= {KINDS["github"][0]: (301, {"Location": to}, {}), "/api/v3/repositories/5/pulls/7": of.github()}
    assert host_of(server, "github").pull(REF, "acme/web").head == HEAD


def test_who_asks(server):
    for kind in KINDS:
        pull_of(server, kind)
    sent = {exchange.path: exchange.headers for exchange in server.asked}
    assert sent[KINDS["github"][0]]["authorization"] == f"Bearer {TOKEN}"
    assert sent[KINDS["gitlab"][0]]["private-token"] == TOKEN
    assert sent[KINDS["bitbucket-cloud"][0]]["authorization"] == f"Bearer {TOKEN}"
    assert sent[KINDS["bitbucket-data-center"][0]]["authorization"] == f"Bearer {TOKEN}"
    host_of(server, "bitbucket-cloud", user="bot").pull(REF, "acme/web")
    assert server.asked[-1].headers["authorization"].startswith("Basic ")


@every
def test_no_secret_in_a_message(kind):
    limits = replace(QUICK, attempts=1)
    host = make_host(kind, "http://127.0.0.1:9", token=TOKEN, limits=limits)
    with pytest.raises(SourceUnavailable) as raised:
        host.pull(REF, "acme/web")
    assert TOKEN not in str(raised.value)


@every
def test_projects_are_escaped_in_the_path(server, kind):
    with pytest.raises(SourceGone):
        host_of(server, kind).pull(REF, "acme/we?b#/x")
    assert "%3F" in server.asked[0].path
    assert server.asked[0].query == ""


def test_refs_of_heads(server):
    refs = {kind: host_of(server, kind).head_ref(7) for kind in KINDS}
    assert refs == {
        "github": "refs/pull/7/head",
        "gitlab": "refs/merge-requests/7/head",
        "bitbucket-cloud": "",
        "bitbucket-data-center": "refs/pull-requests/7/from",
    }
