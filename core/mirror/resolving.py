"""What people call commits, as commits: abbreviated ids, tags, and copies of a commit under another id."""

import re
from collections.abc import Iterator

from core.mirror.names import is_commit_id
from core.mirror.process import PLAIN, Git

_NO_NAME = re.compile(r"[\x00-\x20~^:?*\[\\\x7f]|\.\.|@\{")  # no ref's name holds it; gitrevisions(7) obeys it
_ABBREVIATED = re.compile(r"[0-9a-f]{7,64}")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,120}(?:/[A-Za-z0-9_][A-Za-z0-9._+-]{0,120}){0,4}")
_SECONDS = 20.0
_LARGEST_PATCHES = 8_000_000  # bytes
_PLAINLY = ("--no-show-signature", "--no-color", "--no-decorate")
_ALIKE = 5  # commits that may be copies, whose changes are compared


def abbreviated(git: Git, text: str) -> tuple[str, ...]:
    """The ids of the commits that begin with this, which has seven digits at least: several where it is too short."""
    if not _ABBREVIATED.fullmatch(text.lower()):
        return ()
    objects = git.run("rev-parse", f"--disambiguate={text.lower()}", seconds=_SECONDS).decode().split()
    asked = "".join(f"{identity}\n" for identity in objects if is_commit_id(identity)).encode()
    said = git.run("cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=asked, seconds=_SECONDS).decode()
    return tuple(line.removeprefix("commit ") for line in said.splitlines() if line.startswith("commit "))


def named(git: Git, name: str) -> str | None:
    """The commit that a branch, a tag, or a commit id of seven or more digits names, in this order."""
    if not name or _NO_NAME.search(name):
        return None
    for one in (f"refs/heads/{name}", f"refs/tags/{name}", *([name] if _ABBREVIATED.fullmatch(name) else [])):
        options = ["--verify", "--quiet", "--end-of-options", f"{one}^{{commit}}"]
        said = git.run("rev-parse", *options, statuses=(0, 1, 128), seconds=_SECONDS).decode().strip()
        if said:
            return said
    return None


def tagged(git: Git, tag: str) -> str | None:
    """The commit of a tag of exactly this name."""
    if not _TAG.fullmatch(tag) or ".." in tag or tag.endswith((".lock", ".")):
        return None
    ref = f"refs/tags/{tag}^{{commit}}"
    said = git.run("rev-parse", "--verify", "--quiet", ref, statuses=(0, 1, 128), seconds=_SECONDS)
    return said.decode().strip() or None


def copy_of(git: Git, commit: str, within: str, limit: int) -> str | None:
    """A commit with the same changes as one that is not in the past of `within`, but there: it says that it was
    cherry-picked from that, or was written at the same time and has the same patch id (`git patch-id --stable`).
    Looked for among so many of the newest commits that only `within` has.
    """
    if picked := _saying(git, f"cherry picked from commit {commit}", commit, within):
        return picked
    form = "--format=%H %at %ae"
    own = git.run("log", "--no-walk", *_PLAINLY, form, commit, "--", seconds=_SECONDS)
    written = own.strip().partition(b" ")[2]
    revisions = ["--no-merges", f"--max-count={limit}", within, f"^{commit}", "--"]
    listing = git.run("log", *_PLAINLY, form, *revisions, seconds=_SECONDS).split(b"\n")
    alike = [line.split(b" ")[0].decode() for line in listing if written and line.partition(b" ")[2] == written]
    patches = dict(_patch_ids(git, [commit, *alike[:_ALIKE]])) if alike else {}
    return next((one for one in alike if patches.get(one, "") == patches.get(commit)), None)


def undone_by(git: Git, commit: str, within: str) -> str | None:
    """The commit in the past of `within` that reverts one that is there too, as `git revert` words it, unless that is
    reverted in its turn.
    """
    reverting = _saying(git, f"This reverts commit {commit}", commit, within)
    again = reverting and _saying(git, f"This reverts commit {reverting}", reverting, within)
    return None if again else reverting


def _saying(git: Git, text: str, after: str, within: str) -> str | None:
    """The newest commit whose message holds a literal text, of those in the past of `within` and not of `after`."""
    options = ["--fixed-strings", f"--grep={text}", "--max-count=1", "--format=%H"]
    recent = [within, f"^{after}", "--"]
    return git.run("log", *_PLAINLY, *options, *recent, seconds=_SECONDS).decode().strip() or None


def _patch_ids(git: Git, commits: list[str]) -> Iterator[tuple[str, str]]:
    """By commit; of a merge and of one that changes nothing there is none."""
    asked = "".join(f"{one}\n" for one in commits).encode()
    options = ["--stdin", "-p", "-r", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"]
    with git.stream("diff-tree", *options, seconds=_SECONDS, environment=PLAIN) as (ask, answer):
        ask.write(asked)
        ask.close()
        patches = answer.read(_LARGEST_PATCHES + 1)
    if len(patches) > _LARGEST_PATCHES:
        return
    for line in git.run("patch-id", "--stable", stdin=patches, seconds=_SECONDS).decode().splitlines():
        patch, _, commit = line.partition(" ")
        yield commit, patch
