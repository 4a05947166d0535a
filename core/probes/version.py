"""Which commit a version or an image's tag names."""

import re
from dataclasses import dataclass

_DIGEST = re.compile(r"(?:^|@)sha(?:256|384|512):.*", re.DOTALL)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WHOLE = re.compile(r"(?<![0-9A-Za-z])(?:g|sha|git)?([0-9a-f]{40})(?![0-9A-Za-z])")
_MARKED = re.compile(r"(?<![0-9A-Za-z])(?:(?:sha|git|commit)[-_.:]|g)([0-9a-f]{7,40})(?![0-9A-Za-z])")
"""`sha-4f2a91c` as tags of images are called, and `-3-g4f2a91c` or `+g4f2a91c` as `git describe` and those after it."""
_PART = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{7,40}(?![0-9A-Za-z])")
_DAY = re.compile(r"d?(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d[a-f]?\d?")
_DIRTY = re.compile(r"(?<![0-9A-Za-z])dirty(?![0-9A-Za-z])|\+(?:.*\.)?d(?:19|20)\d{6}$")
"""Of `git describe --dirty`, and of setuptools-scm, which writes the day of such a build."""
_ID = re.compile(r"(?:[0-9a-f]{7,40}|[0-9a-f]{64})(?=$|[-+.]dirty$)")
_RELEASE = re.compile(r"[A-Za-z_/-]{0,40}[0-9]{1,10}(?:\.[0-9]{1,10})+\S*")
_LONGEST = 300  # characters


@dataclass(frozen=True, slots=True)
class Named:
    """What a version says of how it was built."""

    commit: str = ""
    """Whole or abbreviated; empty: none, or several that differ."""
    dirty: bool = False


def named(version: str) -> Named:
    """Never by half: a digest, a date, a number and a word are no commits, and neither is one of two that differ.

    What is marked as a commit counts before what looks like one.
    """
    if len(version) > _LONGEST:
        return Named()
    plain = _UUID.sub("", _DIGEST.sub("", version))
    dirty = bool(_DIRTY.search(plain))
    for found in (_WHOLE.findall(plain), _MARKED.findall(plain), list(filter(_looks_so, _PART.findall(plain)))):
        if found:
            return Named(_one(found), dirty)
    return Named(dirty=dirty)


def commit_id(told: str) -> Named:
    """What is told as a commit, and nothing else: its id, in any case, whole (of SHA-1 or SHA-256) or abbreviated."""
    lower = told.strip().lower()
    found = _ID.match(lower) if len(lower) <= _LONGEST else None
    return Named(found[0], lower != found[0]) if found else Named()


def is_release(ref: str) -> bool:
    """Whether a ref is called as tags of releases are, `v2.14.1`, and not as a branch."""
    return len(ref) <= _LONGEST and bool(_RELEASE.fullmatch(ref))


def tag_of(image: str) -> str:
    """The tag of an image's reference, `registry:5000/acme/booking:v2@sha256:…`; empty: none."""
    last = image.partition("@")[0].rpartition("/")[2]
    return "" if last.startswith("sha256:") else last.partition(":")[2]


def repository_of(image: str) -> str:
    """The name of an image without tag and digest: `registry:5000/acme/booking`."""
    before, slash, last = image.partition("@")[0].rpartition("/")
    return f"{before}{slash}{last.partition(':')[0]}"


def _looks_so(part: str) -> bool:
    """Digits alone are a date or the number of a build, and letters alone are a word (`defaced`)."""
    return not part.isdigit() and not part.isalpha() and not _DAY.fullmatch(part)


def _one(found: list[str]) -> str:
    """The longest, if the others are how it begins."""
    longest = max(found, key=len)
    return longest if all(longest.startswith(one) for one in found) else ""
