"""Fetching over HTTP, as a mirror does it."""

import gzip
import os
import subprocess

import pytest
import requests

from tests.sandbox.hosts import ORG, hosted

REFS = {
    "github": "refs/pull/*/head",
    "gitlab": "refs/merge-requests/*/head",
    "bitbucket-cloud": None,
    "bitbucket-data-center": "refs/pull-requests/*/from",
}


@pytest.fixture
def box(tmp_path):
    with hosted(tmp_path / "repos") as running:
        yield running


def address(box, kind, token=None, repo="booking-api"):
    urls = {
        "github": f"{box.github_url}/{ORG}",
        "gitlab": f"{box.gitlab_url}/{ORG}",
        "bitbucket-cloud": f"{box.bitbucket_cloud_url}/{ORG}",
        "bitbucket-data-center": f"{box.bitbucket_data_center_url}/scm/{ORG}",
    }
    url = f"{urls[kind]}/{repo}.git"
    return url.replace("://", f"://reader:{token}@") if token else url


def git(*arguments, cwd=None):
    environment = os.environ | {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("kind", sorted(REFS))
def test_a_mirror_gets_branches_tags_and_the_vendors_own_refs_of_heads(box, tmp_path, kind):
    mirror = tmp_path / "mirror.git"
    assert git("clone", "--quiet", "--mirror", address(box, kind, box.git_host.token), str(mirror))[0] == 0
    names = git("for-each-ref", "--format=%(refname)", cwd=mirror)[1].split()
    wanted = [REFS[kind].replace("*", str(n)) for n in (12, 17, 19, 21, 23, 26, 27, 29)] if REFS[kind] else []
    tags = [f"refs/tags/{release.tag}" for release in box.deployments.releases("booking-api")]
    assert len(tags) == 3
    assert {name for name in names if not name.startswith("refs/heads/")} == {*wanted, *tags}
    assert "refs/heads/main" in names


def test_a_fetch_gets_a_forced_push(box, tmp_path):
    mirror = tmp_path / "mirror.git"
    git("clone", "--quiet", "--mirror", address(box, "github", box.git_host.token), str(mirror))
    commit = box.git_host.commit("booking-api", {"big": os.urandom(300_000)}, "Start anew")
    box.git_host.push("booking-api", 29, commit)
    assert git("fetch", "--quiet", "origin", cwd=mirror)[0] == 0
    assert git("rev-parse", "refs/pull/29/head", cwd=mirror)[1].strip() == commit
    assert git("fsck", "--strict", "--no-dangling", cwd=mirror)[0] == 0


def test_who_may_fetch(box):
    host = box.git_host
    tokens = {"wrong": 401, host.grant("gate-app").value: 404, host.grant(forbidden=True).value: 403, host.token: 200}
    url = f"{address(box, 'github')}/info/refs?service=git-upload-pack"
    assert {t: requests.get(url, auth=("x", t), timeout=10).status_code for t in tokens} == tokens
    assert requests.get(url, timeout=10).status_code == 401
    host.anonymous_git = True
    assert git("ls-remote", address(box, "github"))[0] == 0
    assert git("ls-remote", address(box, "github", repo="nothing"))[0] != 0


def test_nothing_can_be_pushed(box, tmp_path):
    url, clone = address(box, "github", box.git_host.token), tmp_path / "clone"
    git("clone", "--quiet", url, str(clone))
    before = git("ls-remote", url)[1]
    assert git("push", "origin", "main:other", cwd=clone)[0] != 0
    assert git("ls-remote", url)[1] == before
    assert [e.status for e in box.git_host_writes()] == [403]


def test_old_clients_and_odd_requests(box):
    url, login = address(box, "github"), ("x", box.git_host.token)
    assert requests.get(f"{url}/info/refs", auth=login, timeout=10).status_code == 403
    assert requests.get(f"{url}/HEAD", auth=login, timeout=10).status_code == 404
    pack = f"{url}/git-upload-pack"
    kind = {"Content-Type": "application/x-git-upload-pack-request"}
    body = b"0014command=ls-refs\n0014agent=test/1.0-x0000"
    packed = kind | {"Git-Protocol": "version=2", "Content-Encoding": "gzip"}
    answer = requests.post(pack, gzip.compress(body), headers=packed, auth=login, timeout=10)
    assert answer.status_code == 200
    assert b"refs/heads/main" in answer.content
    assert requests.post(pack, b"nonsense", headers=kind, auth=login, timeout=10).status_code in {200, 500}
