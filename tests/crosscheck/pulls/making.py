"""Pull requests brought into each situation: every function here opens those of a stage's ticket."""

from collections.abc import Callable

from sandbox.git import Entry, git
from tests.crosscheck.pulls.stage import DEVELOPER, FEES, FIRST, WANTED, WORK, Stage

NAMES = (
    "--upload-pack=touch x",
    "-c",
    ":(top)README.md",
    "C:\\windows\\x.py",
    "src/..\\..\\x.py",
    "src/%2e%2e/x.py",
)


def stacked(stage: Stage) -> None:
    below = stage.box.git_host.commit(stage.repo, {"src/words.py": "LOCKED = 'locked'\n"}, on="first")
    stage.box.git_host.branch(stage.repo, "words-of-locking", below)
    stage.propose(WORK, on=below, base="words-of-locking")


def fork_present(stage: Stage) -> None:
    stage.propose(WORK, fork=DEVELOPER)


def fork_deleted(stage: Stage) -> None:
    stage.box.git_host.delete_fork(stage.repo, stage.propose(WORK, fork=DEVELOPER))


def pushed_once(stage: Stage) -> None:
    number = stage.propose({"src/lock.py": "MAX_FAILED_SIGN_INS = 9\n"})
    better = stage.box.git_host.commit(stage.repo, WORK, "Anew", on="first")
    stage.when_asked(number, lambda: stage.box.git_host.push(stage.repo, number, better), times=1)


def pushed_always(stage: Stage) -> None:
    number = stage.propose(WORK)

    def push() -> None:
        stage.box.git_host.push(stage.repo, number, stage.box.git_host.commit(stage.repo, WORK, "Anew", on="first"))

    stage.when_asked(number, push, times=20)


def pushed_since(stage: Stage) -> None:
    number = stage.propose({"src/lock.py": "MAX_FAILED_SIGN_INS = 9\n"})
    stage.review()
    stage.box.git_host.push(stage.repo, number, stage.box.git_host.commit(stage.repo, WORK, "Anew", on="first"))


def base_renamed(stage: Stage) -> None:
    stage.box.git_host.branch(stage.repo, "release-old", "first")
    stage.propose(WORK, base="release-old")
    stage.box.git_host.rename_branch(stage.repo, "release-old", "release-new")


def base_followed(stage: Stage) -> None:
    stage.box.git_host.branch(stage.repo, "release-1", "first")
    stage.propose(WORK, base="release-1")
    stage.box.git_host.rename_branch(stage.repo, "release-1", "release-2", follow=True)


def base_deleted(stage: Stage) -> None:
    stage.box.git_host.branch(stage.repo, "short-lived", "first")
    stage.propose(WORK, base="short-lived")
    stage.box.git_host.delete_branch(stage.repo, "short-lived")


def thousand_files(stage: Stage) -> None:
    stage.propose({f"data/file_{n:04}.txt": f"{n}\n" for n in range(999)} | WORK)


def binary(stage: Stage) -> None:
    stage.propose({"logo.png": b"\x89PNG\r\n\x1a\n\0\0\0" + bytes(range(256)) * 8})


def renamed(stage: Stage) -> None:
    stage.propose({"src/fees.py": None, "src/prices.py": FEES})


def renamed_and_changed(stage: Stage) -> None:
    changed = FEES.replace("return 7 * days\n", "return 7 * days + 1\n")
    stage.propose({"src/fees.py": None, "src/prices.py": changed})


def mode_only(stage: Stage) -> None:
    stage.propose({"src/run.sh": Entry("100755", FIRST["src/run.sh"])})


def submodule(stage: Stage) -> None:
    stage.propose({"vendor/locks": Entry("160000", "5" * 40)})


def pointer(stage: Stage) -> None:
    told = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 73400320\n"
    stage.propose({"data/names.csv": told})


def link_out(stage: Stage) -> None:
    stage.propose({"src/secrets": Entry("120000", "../../../etc/passwd")})


def empty(stage: Stage) -> None:
    stage.propose({})


def draft(stage: Stage) -> None:
    stage.propose({"src/lock.py": "MAX_FAILED_SIGN_INS = 5\n"}, draft=True)


def merged(*, squash: bool, released: str = "") -> Callable[[Stage], None]:
    def put(stage: Stage) -> None:
        host = stage.box.git_host
        number = stage.propose({f"src/{stage.key}.py": f"{WANTED} = 5\n", f"src/{stage.key}_b.py": "B = 1\n"})
        before = host.commit(stage.repo, {}, "Of others", on="main")
        host.branch(stage.repo, "main", before)
        commit = host.merge(stage.repo, number, squash=squash)
        if released:
            host.branch(stage.repo, "released", before if released == "before" else commit)

    return put


def closed(stage: Stage) -> None:
    stage.box.git_host.close(stage.repo, stage.propose(WORK))


def two_repositories(stage: Stage) -> None:
    stage.propose({"src/lock.py": "MAX_FAILED_SIGN_INS = 5\n"})
    stage.propose({"src/page.py": f"def {WANTED}():\n    return 1\n"}, repo="web")


def five_ways(stage: Stage) -> None:
    first = stage.box.git_host.commit(stage.repo, {"src/words.py": "A = 1\n"}, f"{stage.key}: words", on="first")
    number = stage.propose(WORK, on=first, branch=f"{stage.key.lower()}-lock")
    stage.sync()
    stage.write(f"See {stage.address(number)}/files and {stage.address(number)}#discussion_r1.")


def answering(status: int, *, retry: str = "") -> Callable[[Stage], None]:
    def put(stage: Stage) -> None:
        number = stage.propose(WORK)
        headers = {"retry-after": retry} if retry else {}
        stage.write(f"See {stage.address(number)}.")
        stage.box.faults.add("GET", "/api/v3/", "status", 1000, status=status, headers=headers, body="{}")

    return put


def one_of_two_fails(stage: Stage) -> None:
    stage.propose({"src/lock.py": "MAX_FAILED_SIGN_INS = 5\n"})
    number = stage.propose({"src/page.py": f"def {WANTED}():\n    return 1\n"}, repo="web")
    stage.box.faults.add("GET", rf"/web/pulls/{number}$", "status", 1000, status=500)


def narrow_token(stage: Stage) -> None:
    stage.propose(WORK)


def traversal(stage: Stage) -> None:
    stage.propose(dict.fromkeys(NAMES, "x = 1\n"))


def climbing(stage: Stage) -> None:
    """Git refuses to write such a tree; a server that is not honest does not ask it."""
    path = stage.box.repos[stage.repo]

    def tree(line: str) -> str:
        return git(path, "mktree", stream=f"{line}\n".encode()).decode().strip()

    blob = git(path, "hash-object", "-w", "--stdin", stream=b"x = 1\n").decode().strip()
    below = tree(f"100644 blob {blob}\tescape.py")
    top = tree(f"040000 tree {below}\t..")
    host = stage.box.git_host
    stage.propose_commit(host._commit_tree(path, top, "Climb", ("first",)), title="{key}: climb")


def large_before_small(stage: Stage, limit: int = 5) -> None:
    """Field report G2."""
    generated = "[\n" + "".join(f'  {{"name": "row {n}", "value": {n}}},\n' for n in range(3500)) + "  {}\n]\n"
    login = (
        f'"""Signing in."""\n\nLOCK_AFTER_FAILED_SIGN_INS = {limit}\n\n\ndef is_locked(failed):\n'
        f"    return failed >= LOCK_AFTER_FAILED_SIGN_INS\n\n\ndef {WANTED}():\n    return 'This account is locked.'\n"
    )
    stage.propose({"aaa_generated.json": generated, "src/z_login.py": login})


def unreadable(stage: Stage) -> None:
    number = stage.propose(WORK, repo="vault")
    stage.write(f"See {stage.address(number, 'vault')}.")


def plain_open(stage: Stage) -> None:
    stage.propose(WORK)


def elsewhere(stage: Stage) -> None:
    stage.write(f"See {stage.elsewhere}/acme/shop/pull/1 and {stage.box.gitlab_url}/acme/other/-/merge_requests/3.")
