"""A pull request in one text: what it is, what it says of itself, and every file that it changes."""

from collections.abc import Iterator

from core.masking import masked
from core.mirror import Mirror
from core.parsing.markdown import clean
from core.pulls.files import kind_of
from core.pulls.types import ChangedFile, Snapshot
from core.pulls.wording import counted, named, short, size_of

_DESCRIPTION = 8_000  # characters
_COMMITS = 20
_SPECIAL = {
    "binary": "not text, not examined",
    "large": "too large to be compared, not examined",
    "submodule": "a submodule, not examined",
    "link": "a symbolic link, not followed",
    "lfs": "kept apart (Git LFS), not examined",
}
_STATES = {"open": "Open", "draft": "Open, a draft", "merged": "Merged", "closed": "Closed without being merged"}


def overview(snapshot: Snapshot, mirror: Mirror) -> str:
    """Nothing in it looks like a credential."""
    pull = snapshot.pull
    by = f", by {named(pull.author)}" if pull.author else ""
    source = f" from {named(pull.head_branch)}" if pull.head_branch else ""
    heads = [
        f"Pull request {pull.ref.number} of {pull.ref.repo}: {named(pull.title)}",
        f"{_STATES[pull.state]}{source} into {named(pull.base_branch)}{by}, read at commit {short(snapshot.head)}.",
        *snapshot.says,
        *(gap.what for gap in snapshot.gaps),
    ]
    blocks = ["\n".join(heads), _description(pull.description), _commits(snapshot, mirror), "\n".join(_files(snapshot))]
    return masked("\n\n".join(filter(None, blocks)))[0]


def _description(text: str) -> str:
    text = clean(text).strip()
    if not text:
        return "It has no description."
    more = len(text) - _DESCRIPTION
    cut = f"\n[The description goes on for {more:,} characters.]" if more > 0 else ""
    return f"Description:\n{text[:_DESCRIPTION]}{cut}"


def _commits(snapshot: Snapshot, mirror: Mirror) -> str:
    ids = list(mirror.ahead([snapshot.head], snapshot.base, _COMMITS + 1))
    lines = [f"- {short(commit.id)} {named(commit.subject)}" for commit in mirror.commits(ids[:_COMMITS])]
    more = ["- and earlier ones"] if len(ids) > _COMMITS else []
    return "\n".join(["Commits, newest first:", *lines, *more]) if lines else ""


def _files(snapshot: Snapshot) -> Iterator[str]:
    yield f"Changed files: {len(snapshot.files):,}" if snapshot.files else "It changes no file."
    for file in snapshot.files:
        yield f"- {named(file.path)}: {', '.join(_facts(file))}"


def _facts(file: ChangedFile) -> Iterator[str]:
    yield {
        "renamed": f"renamed from {named(file.before or '')}",
        "mode": "only its permissions changed",
    }.get(file.change, file.change)
    if file.special:
        yield _SPECIAL[kind_of(file)]
    elif file.change != "mode":
        if file.change == "renamed" and not (file.added or file.removed):
            yield "otherwise as it was"
        else:
            yield f"{counted(file.added or 0, 'line')} added, {file.removed or 0:,} removed"
    if file.change != "removed" and file.special != "submodule":
        yield size_of(file.size)
