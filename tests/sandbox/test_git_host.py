"""The Git host's state: what stands in the repositories, and what the APIs say, while the world changes."""

import subprocess

import pytest

from sandbox.git import PULL_REFS, Entry, GitFailed
from tests.sandbox.hosts import LISTS, HostClient, hosted, roots

REPO = "booking-api"
KINDS = sorted(LISTS)


@pytest.fixture
def box(tmp_path):
    with hosted(tmp_path) as running:
        yield running


def ref(box, name):
    done = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", name],
        cwd=box.repos[REPO],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def told(box, kind, number=26):
    """State, head and base branch as a host tells them."""
    root = roots(box)[kind]
    found = HostClient(root, box.git_host.token).get(f"{LISTS[kind]}/{number}").json()
    match kind:
        case "github":
            return found["state"], found["head"]["sha"], found["base"]["ref"]
        case "gitlab":
            return found["state"], found["sha"], found["target_branch"]
        case "bitbucket-cloud":
            return found["state"], found["source"]["commit"]["hash"], found["destination"]["branch"]["name"]
        case _:
            return found["state"], found["fromRef"]["latestCommit"], found["toRef"]["displayId"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_forced_push_moves_the_refs_and_what_is_told(box, kind):
    host = box.git_host
    before = host.pull(REPO, 26).head
    commit = host.commit(REPO, {"src/booking/cancelling.py": "REWRITTEN = True\n"}, "Start anew")
    assert told(box, kind)[1] == before[: len(told(box, kind)[1])]
    host.push(REPO, 26, commit)
    assert commit.startswith(told(box, kind)[1])
    assert {ref(box, name.format(26)) for name in PULL_REFS} == {commit}
    assert ref(box, "refs/heads/feature/BKG-134-cancel-online") == commit


def test_host_and_repository_can_disagree(box):
    host = box.git_host
    before, commit = host.pull(REPO, 26).head, host.commit(REPO, {"a": "a"})
    host.push(REPO, 26, commit, seen="git")
    assert (told(box, "github")[1], ref(box, "refs/pull/26/head")) == (before, commit)
    host.push(REPO, 26, before)
    host.push(REPO, 26, commit, seen="api")
    assert (told(box, "github")[1], ref(box, "refs/pull/26/head")) == (commit, before)


def test_a_push_between_two_answers(box):
    """A fault's hook changes the world at the very moment that a test needs."""
    host = box.git_host
    commit = host.commit(REPO, {"a": "a"})
    box.faults.on("GET", r"/pulls/26$", lambda _: host.push(REPO, 26, commit), stage="done")
    assert [told(box, "github")[1] == commit for _ in range(2)] == [False, True]


@pytest.mark.parametrize(
    ("kind", "states"),
    [
        ("github", ("open", "closed", "closed")),
        ("gitlab", ("opened", "closed", "merged")),
        ("bitbucket-cloud", ("OPEN", "DECLINED", "MERGED")),
        ("bitbucket-data-center", ("OPEN", "DECLINED", "MERGED")),
    ],
)
def test_states(box, kind, states):
    host = box.git_host
    first = told(box, kind)[0]
    host.close(REPO, 26)
    host.merge(REPO, 27)
    assert (first, told(box, kind)[0], told(box, kind, 27)[0]) == states


def test_a_merge_commit_and_a_squashed_one(box):
    host = box.git_host
    head = host.pull(REPO, 26).head
    tip = ref(box, "refs/heads/main")
    merged = host.merge(REPO, 26)
    assert ref(box, "refs/heads/main") == merged
    assert (ref(box, f"{merged}^1"), ref(box, f"{merged}^2")) == (tip, head)
    assert ref(box, "refs/heads/feature/BKG-134-cancel-online") == ""
    assert ref(box, "refs/pull/26/head") == head
    changed = [file.path for file in host.changes(host.pull(REPO, 26))]
    assert changed == ["migrations/0002_cancelled_bookings.sql", "src/booking/cancelling.py"]
    squashed = host.merge(REPO, 27, squash=True)
    assert (ref(box, f"{squashed}^1"), ref(box, f"{squashed}^2")) == (merged, "")
    root = roots(box)["gitlab"]
    asked = HostClient(root, box.git_host.token).get
    one, other = (asked(f"/merge_requests/{number}").json() for number in (26, 27))
    assert (one["merge_commit_sha"], one["squash_commit_sha"]) == (merged, None)
    assert (other["merge_commit_sha"], other["squash_commit_sha"]) == (None, squashed)


def test_a_conflict_is_not_merged(box):
    host = box.git_host
    first, second = (host.commit(REPO, {"README.md": text}) for text in ("one\n", "two\n"))
    numbers = [host.open(REPO, f"branch-{commit[:7]}", commit, "Readme") for commit in (first, second)]
    host.merge(REPO, numbers[0])
    with pytest.raises(GitFailed):
        host.merge(REPO, numbers[1])
    assert host.pull(REPO, numbers[1]).open


def test_the_base_is_renamed_or_gone(box):
    host = box.git_host
    host.rename_branch(REPO, "task/BKG-139-shared-counters", "counters")
    assert told(box, "github", 29)[2] == "task/BKG-139-shared-counters"
    assert host.base_tip(host.pull(REPO, 29)) is None
    assert host.changes(host.pull(REPO, 29)) == []
    for kind in KINDS:
        told(box, kind, 29)
    host.edit(REPO, 29, base="counters")
    host.rename_branch(REPO, "counters", "shared", follow=True)
    assert told(box, "github", 29)[2] == "shared"
    host.delete_branch(REPO, "shared")
    assert ref(box, "refs/heads/shared") == ""


def test_a_fork_goes(box):
    host, asked = box.git_host, {}
    tokens = box.git_host.token
    clients = {kind: HostClient(root.replace(REPO, "gate-app"), tokens) for kind, root in roots(box).items()}
    for gone in (False, True):
        found = {kind: client.get(f"{LISTS[kind]}/8").json() for kind, client in clients.items()}
        asked[gone] = (
            found["github"]["head"]["repo"] is None,
            found["gitlab"]["source_project_id"] is None,
            found["bitbucket-cloud"]["source"]["repository"] is None,
            "repository" not in found["bitbucket-data-center"]["fromRef"],
        )
        host.delete_fork("gate-app", 8)
    assert asked == {False: (False,) * 4, True: (True,) * 4}
    with pytest.raises(ValueError, match="no fork"):
        host.delete_fork(REPO, 26)


def test_every_kind_of_file(box):
    host = box.git_host
    files = {
        "link": Entry("120000", "../outside"),
        "run.sh": Entry("100755", "true\n"),
        "vendor": Entry("160000", "1" * 40),
        "seats.png": b"\x89PNG\r\n\0\1",
        "src/booking/refund.py": (box.company.repos[0].commits[3].files["src/booking/refunds.py"]),
        "src/booking/refunds.py": None,
        "pyproject.toml": Entry("120000", "README.md"),
    }
    number = host.open(REPO, "files", host.commit(REPO, files), "Files", draft=True)
    found = {
        file.path: (file.status, file.new_mode, file.patch is None) for file in host.changes(host.pull(REPO, number))
    }
    assert found == {
        "link": ("added", "120000", False),
        "run.sh": ("added", "100755", False),
        "vendor": ("added", "160000", False),
        "seats.png": ("added", "100644", True),
        "src/booking/refund.py": ("renamed", "100644", True),
        "pyproject.toml": ("changed", "120000", False),
    }
    assert told(box, "github", number)[0] == "open"


def test_more_files_than_github_lists(box):
    host = box.git_host
    number = host.open(REPO, "many", host.commit(REPO, {f"many/{at}.txt": f"{at}\n" for at in range(3100)}), "Many")
    client = HostClient(roots(box)["github"], host.token)
    assert client.get(f"/pulls/{number}").json()["changed_files"] == 3100
    page = client.get(f"/pulls/{number}/files", per_page=100)
    assert 'page=30>; rel="last"' in page.headers["Link"]
    last = client.get(page.links["last"]["url"])
    assert (len(last.json()), "next" in last.links) == (100, False)
    changes = HostClient(roots(box)["gitlab"], host.token).get(f"/merge_requests/{number}").json()["changes_count"]
    assert changes == "1000+"


def test_a_commit_leads_to_its_pull_requests(box):
    host = box.git_host
    commits = {number: host.pull(REPO, number).head for number in (17, 23, 29)}
    squashed = host.pull(REPO, 17).merge_commit
    paths = {
        "github": "/commits/{}/pulls",
        "gitlab": "/repository/commits/{}/merge_requests",
        "bitbucket-cloud": "/commit/{}/pullrequests",
        "bitbucket-data-center": "/commits/{}/pull-requests",
    }
    for kind, path in paths.items():
        client = HostClient(roots(box)[kind], host.token)
        for number, commit in (*commits.items(), (17, squashed)):
            found = client.get(path.format(commit)).json()
            found = found["values"] if isinstance(found, dict) else found
            assert [pull.get("iid") or pull.get("number") or pull["id"] for pull in found] == [number], (kind, number)
        assert client.get(path.format("f" * 40)).status_code in {404, 422}


def test_a_fork_has_commits_that_its_parent_has_not(box):
    host = box.git_host
    client = HostClient(roots(box)["bitbucket-cloud"].replace(REPO, "gate-app"), host.token)
    head = host.pull("gate-app", 8).head
    assert client.get(f"/commit/{head[:12]}").status_code == 404
    assert [commit["hash"] for commit in client.get("/pullrequests/8/commits").json()["values"]] == [head]
    head = host.pull("gate-app", 6).head
    assert client.get(f"/commit/{head[:12]}").json()["hash"] == head
