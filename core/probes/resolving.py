"""Which commit is meant by what an environment says it runs."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.mirror import Mirror
from core.pulls.wording import named, short


@dataclass(frozen=True, slots=True)
class Resolved:
    """A commit that the mirror has, or why there is none."""

    commit: str = ""
    why: str = ""
    """A sentence's end: `it does not say which version that is`."""
    settled_by: str = ""
    note: str = ""
    """What does not fit together, as a sentence."""


def resolved(mirror: Mirror, version: str, commit: str, environment: str) -> Resolved:
    """By the commit that was told; where there is none or Git does not know it, by the tag that is called as the
    version, with or without a `v` before it.
    """
    if not (version or commit):
        by = f"An administrator, who can have {environment} tell its version or commit."
        return Resolved(why="it does not say which version runs there", settled_by=by)
    found = mirror.beginning(commit)
    tag = next((one for name in _tags(version) if (one := mirror.tag(name))), None)
    if len(found) > 1:
        why = f"several commits begin with {named(commit or version)}, which it says that it runs"
        return Resolved(why=why, settled_by=f"An administrator, who can have {environment} tell whole commit ids.")
    if found:
        differs = tag and tag != found[0]
        note = f"The tag {named(version)} is another commit than the one that {environment} says it runs."
        return Resolved(found[0], note=note if differs else "")
    if tag:
        return Resolved(tag)
    why = (
        f"it says that it runs {named(version or commit)}, which Git does not know here: it may be newer than the last "
        "reading of the repository, or come from another one"
    )
    return Resolved(why=why, settled_by="The next reading of the repository, or somebody who knows that version.")


def called(version: str, commit: str) -> str:
    """`2.14.1 (commit 4f2a91c01234)`."""
    shown = short(commit)
    if not version or (commit and commit.startswith(version)):
        return f"commit {named(shown)}" if shown else "an unknown version"
    return f"{named(version)} (commit {named(shown)})" if shown else named(version)


def _tags(version: str) -> Iterator[str]:
    if version:
        yield version
        yield version[1:] if version[:1] in {"v", "V"} else f"v{version}"
