"""The situations of pull requests, and what a review says in each, word for word.

KEY stands for the ticket's key, COMMIT for a commit's id; pull requests are numbered as they were opened.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tests.crosscheck.pulls.making import (
    answering,
    base_deleted,
    base_followed,
    base_renamed,
    binary,
    climbing,
    closed,
    draft,
    elsewhere,
    empty,
    five_ways,
    fork_deleted,
    fork_present,
    large_before_small,
    link_out,
    merged,
    mode_only,
    narrow_token,
    one_of_two_fails,
    plain_open,
    pointer,
    pushed_always,
    pushed_once,
    pushed_since,
    renamed,
    renamed_and_changed,
    stacked,
    submodule,
    thousand_files,
    traversal,
    two_repositories,
    unreadable,
)
from tests.crosscheck.pulls.stage import WANTED, Stage

FOUND = "It was found by Jira's development panel, its title or branch."
NOT_READ = "1 changed file, 0 of them examined."


@dataclass(frozen=True, slots=True)
class Seen:
    """What a review says of a pull request that it read, but for its title."""

    says: str = ""
    read: str = "1 changed file, 1 of them examined."
    found: str = FOUND
    number: int = 1
    repo: str = ""
    title: str = "KEY: lock accounts"

    def text(self, repo: str) -> str:
        told = " ".join(filter(None, (self.says, self.found, self.read)))
        return f"Pull request {self.number} of {self.repo or repo}: {self.title}: {told}"


@dataclass(frozen=True, slots=True)
class Situation:
    """`put` opens the pull requests of a stage's ticket and does to them what the name says."""

    name: str
    put: Callable[[Stage], object]
    pulls: tuple[Seen, ...] = (Seen(),)
    unknowns: tuple[str, ...] = ()
    """Whole sentences, under "Could not be checked"."""
    absent: bool = False
    """All was read, and what the ticket asks for by its name is not there, so that a finding says so."""
    repo: str = "shop"
    readable: tuple[str, ...] = ()


def _of(what: str, repo: str = "shop") -> str:
    return f"Pull request 1 of {repo}{what}"


def _not_found(why: str, repo: str = "shop") -> str:
    return f"“{WANTED}”, which the ticket asks for, was not found in the pull request 1 of {repo}; {why}."


_NOT_ALL = _not_found("not all of it could be read")
_OTHER_BASE = "it may build on another change that is not finished."
_UNSEEN_BRANCH = (
    "which shop does not have (any more); the branch may have been renamed. So what it changes is not known."
)
_HIDDEN = "its host does not have it, or does not show it to the account that reads."
_NO_REPOSITORY = (
    "has pull requests of this ticket is not known: its host has no such repository, or does not show it to the "
    "account that reads."
)
_MORE_UNKNOWN = "Whether shop has more pull requests of this ticket is not known: its host did not answer as it should."
_SILENT = "was not read: its host did not answer in time, or not as it should."
_NOT_SET_UP = "to pull requests at hosts or in repositories that are not set up here. What is there was not examined."

SITUATIONS = (
    Situation("Open", plain_open),
    Situation(
        "Stacked on another pull request",
        stacked,
        (Seen(f"Its base is words-of-locking, not the baseline branch main: {_OTHER_BASE}"),),
    ),
    Situation("From a fork", fork_present),
    Situation(
        "Fork deleted",
        fork_deleted,
        (Seen("The repository that it comes from is gone. It was read from what its host keeps of it."),),
    ),
    Situation("Force-pushed while it is read, once", pushed_once),
    Situation(
        "Force-pushed while it is read, again and again",
        pushed_always,
        (),
        (_of(" was changed while it was being read, so it was not examined."),),
    ),
    Situation(
        "Force-pushed since the last review",
        pushed_since,
        (
            Seen(
                "It was force-pushed since it was last read here: commit COMMIT is no longer a part of it, and what "
                "was said of that does not hold for COMMIT."
            ),
        ),
    ),
    Situation(
        "Base branch renamed",
        base_renamed,
        (),
        (_of(f" is to be merged into release-old, {_UNSEEN_BRANCH}"),),
    ),
    Situation(
        "Base branch renamed, and the host told its pull requests",
        base_followed,
        (Seen(f"Its base is release-2, not the baseline branch main: {_OTHER_BASE}"),),
    ),
    Situation(
        "Base branch deleted",
        base_deleted,
        (),
        (_of(f" is to be merged into short-lived, {_UNSEEN_BRANCH}"),),
    ),
    Situation(
        "1,000 files",
        thousand_files,
        (Seen(read="300 changed files, 40 of them examined."),),
        (
            _of(": It changes 1,000 files. Only the first 300 were looked at, the other 700 were not."),
            _of(
                ": 260 changed files of 300 were not examined: data/file_0040.txt, data/file_0041.txt, "
                "data/file_0042.txt, data/file_0043.txt, data/file_0044.txt and 255 more."
            ),
        ),
    ),
    Situation(
        "Binary file",
        binary,
        (Seen(read=NOT_READ),),
        (_of(": The content of 1 file is not text and was not examined: logo.png."), _NOT_ALL),
    ),
    Situation("File renamed only", renamed, (Seen("1 file only got another name: src/prices.py."),), absent=True),
    Situation("File renamed, and one line changed", renamed_and_changed, absent=True),
    Situation(
        "Permissions only", mode_only, (Seen("Of 1 file only the permissions changed: src/run.sh."),), absent=True
    ),
    Situation(
        "Submodule",
        submodule,
        (Seen(read=NOT_READ),),
        (
            _of(
                ": The submodule vendor/locks was added at commit COMMIT. What that changes was not examined, for it "
                "is another repository."
            ),
            _NOT_ALL,
        ),
    ),
    Situation(
        "Git LFS pointer",
        pointer,
        (Seen(read=NOT_READ),),
        (_of(": The content of 1 file is kept apart (Git LFS) and was not examined: data/names.csv."), _NOT_ALL),
    ),
    Situation(
        "Symbolic link out of the repository",
        link_out,
        (Seen("src/secrets is a symbolic link to ../../../etc/passwd. It was not followed.", NOT_READ),),
        (
            _of(": src/secrets points to ../../../etc/passwd, outside of the repository, which was not examined."),
            _NOT_ALL,
        ),
    ),
    Situation(
        "Empty",
        empty,
        (Seen(read="No changed file."),),
        (_of(": It changes nothing: its head holds the same files as its base in main."), _NOT_ALL),
    ),
    Situation("Draft", draft, (Seen("It is a draft."),), (_not_found("it is still a draft"),)),
    Situation(
        "Merged by squash, released",
        merged(squash=True, released="with it"),
        (
            Seen(
                "It was merged into main by one squashed commit. It is in what counts as released: released.",
                "2 changed files, 2 of them examined.",
            ),
        ),
        repo="web",
    ),
    Situation(
        "Merged by merge commit, not released",
        merged(squash=False, released="before"),
        (
            Seen(
                "It was merged into main by a merge commit. It is not in what counts as released: released.",
                "2 changed files, 2 of them examined.",
            ),
        ),
        repo="web",
    ),
    Situation(
        "Closed without a merge",
        closed,
        (Seen("It was closed without being merged.", NOT_READ),),
        (_of(": 1 changed file of 1 was not examined: src/lock.py."),),
    ),
    Situation(
        "Two repositories for one ticket",
        two_repositories,
        (Seen(), Seen(number=2, repo="web")),
        readable=("shop", "web"),
    ),
    Situation(
        "Two repositories, and one pull request cannot be read",
        one_of_two_fails,
        unknowns=(
            f"Pull request 2 of web {_SILENT}",
            _not_found("another one may be there that could not be read"),
        ),
        readable=("shop", "web"),
    ),
    Situation(
        "Found in five ways",
        five_ways,
        (
            Seen(
                found="It was found by an address in the ticket, Jira's development panel, its title or branch, a "
                "branch named after the ticket, a commit that names the ticket.",
                read="2 changed files, 2 of them examined.",
            ),
        ),
    ),
    Situation(
        "Host forbids (403)",
        answering(403),
        (),
        (
            "Whether shop has pull requests of this ticket is not known: the account that reads may not look.",
            _of(" was not read: the account that reads may not see it."),
        ),
    ),
    Situation(
        "Host knows nothing of it (404)",
        answering(404),
        (),
        (f"Whether shop {_NO_REPOSITORY}", _of(f" was not read: {_HIDDEN}")),
    ),
    Situation("Host is asked too often (429)", answering(429, retry="600"), (), (_MORE_UNKNOWN, _of(f" {_SILENT}"))),
    Situation("Host fails (500)", answering(500, retry="0.1"), (), (_MORE_UNKNOWN, _of(f" {_SILENT}"))),
    Situation(
        "Token without that repository",
        narrow_token,
        (),
        (f"Whether annex {_NO_REPOSITORY}", _of(f" was not read: {_HIDDEN}", "annex")),
        repo="annex",
    ),
    Situation("Address of a host that is not set up", elsewhere, (), (f"The ticket has 2 links {_NOT_SET_UP}",)),
    Situation(
        "In a repository that the readers may not see", unreadable, (), (f"The ticket has 1 link {_NOT_SET_UP}",)
    ),
    Situation(
        "File names that look like options or lead elsewhere",
        traversal,
        (Seen(read="6 changed files, 6 of them examined."),),
        absent=True,
    ),
    Situation(
        "File name that leads out of the repository",
        climbing,
        (Seen(read="5 changed files, 4 of them examined.", title="KEY: climb"),),
        (
            _of(": 1 file with a name that leads out of the repository was not examined: ../escape.py."),
            _of(": 1 changed file of 5 was not examined: ../escape.py."),
            _NOT_ALL,
        ),
    ),
    Situation(
        "120 kB generated file before a file of 12 lines",
        large_before_small,
        (Seen(read="2 changed files, 1 of them examined, 1 in part."),),
        (_of(": 1 changed file of 2 was examined only in part: aaa_generated.json."),),
    ),
)
"""At GitHub."""

_RELEASE_UNKNOWN = ": Whether it is deployed is not known: {} has no branch or tag called released."
_UNHOSTED = ": Its base branch is not established, for no host was asked: "
_COMPARED = "it was compared with main, the baseline branch. Whether it is open, merged or closed is not known."
_GONE = "The repository that it comes from is gone. It was read from what its host keeps of it."


def _at(repo: str) -> tuple[Situation, ...]:
    two = "2 changed files, 2 of them examined."
    merge = "It was merged into main by a merge commit."
    draft_title = "Draft: KEY: lock accounts" if repo == "lab" else "KEY: lock accounts"
    return (
        Situation("Open", plain_open, repo=repo),
        Situation("Fork deleted", fork_deleted, (Seen(_GONE),), repo=repo),
        Situation("Force-pushed while it is read, once", pushed_once, repo=repo),
        Situation(
            "Merged by merge commit",
            merged(squash=False),
            (Seen(merge, two),),
            (_of(_RELEASE_UNKNOWN.format(repo), repo),),
            repo=repo,
        ),
        Situation(
            "Draft",
            draft,
            (Seen("It is a draft.", title=draft_title),),
            (_not_found("it is still a draft", repo),),
            repo=repo,
        ),
        Situation(
            "Closed without a merge",
            closed,
            (Seen("It was closed without being merged.", NOT_READ),),
            (_of(": 1 changed file of 1 was not examined: src/lock.py.", repo),),
            repo=repo,
        ),
    )


_BY_NAME = "It was found by its title or branch."

ELSEWHERE = (
    *_at("lab"),
    *_at("depot"),
    *_at("yard"),
    Situation("Open", plain_open, (Seen(found=_BY_NAME),), (_of(_UNHOSTED + _COMPARED, "plain"),), repo="plain"),
    Situation(
        "Closed without a merge", closed, (Seen(found=_BY_NAME),), (_of(_UNHOSTED + _COMPARED, "plain"),), repo="plain"
    ),
    Situation(
        "Merged by merge commit",
        merged(squash=False),
        (Seen("It was merged into main by a merge commit.", "2 changed files, 2 of them examined.", _BY_NAME),),
        (
            _of(_RELEASE_UNKNOWN.format("plain"), "plain"),
            _of(f"{_UNHOSTED}it counts as merged, for main, the baseline branch, holds it.", "plain"),
        ),
        repo="plain",
    ),
)
"""At GitLab, Bitbucket Cloud, Bitbucket Data Center, and read by Git alone."""
