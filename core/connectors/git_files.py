"""Which files of a commit are documents, told by mode, name, size and `.gitattributes` alone: what a listing says can
then be known without reading any content.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import structlog

from core.errors import SourceUnavailable
from core.mirror import Entry, Mirror, shown

LARGEST = 10_000_000
"""Bytes; a larger file is a document that says so."""

_FOREIGN_FOLDERS = frozenset({"node_modules", "bower_components", "vendor", "third_party", ".yarn", "__snapshots__"})
_LOCK_FILES = frozenset(
    {"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "packages.lock.json", "gradle.lockfile"}
)
_GENERATED = re.compile(
    r"(?:\.lock|[.-]min\.(?:js|css|mjs)|\.(?:js|css)\.map|_pb2(?:_grpc)?\.pyi?|\.pb\.go)$", re.IGNORECASE
)
_NO_TEXT = re.compile(
    r"\.(?:"
    r"png|jpg|jpeg|jpe|gif|bmp|tif|tiff|webp|avif|heic|ico|icns|cur|svg|psd|xcf|ai|eps"
    r"|mp3|mp4|m4a|m4v|wav|ogg|oga|ogv|flac|avi|mov|mkv|webm"
    r"|ttf|otf|ttc|woff|woff2|eot"
    r"|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|jar|war|ear|whl|egg|apk|ipa|dmg|iso|deb|rpm|nupkg|cab"
    r"|exe|dll|so|dylib|a|o|obj|lib|pdb|class|pyc|pyo|wasm|node|bin"
    r"|mo|sqlite|sqlite3|db|mdb|parquet|npy|npz|pkl|pickle|onnx|pt|pth|safetensors|h5|jks|p12|pfx|keystore"
    r"|pdf|doc|docx|docm|dot|dotx|xls|xlsx|xlsm|xlsb|xlt|xltx|ppt|pptx|pptm|pps|ppsx|odt|ods|odp|odg|rtf"
    r"|vsd|vsdx|pages|numbers|key"
    r")$",
    re.IGNORECASE,
)
_PROSE = frozenset({".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".txt", ".textile", ".org"})
_DIAGRAMS = frozenset({".drawio", ".dio", ".mmd", ".mermaid", ".puml", ".plantuml", ".pu", ".iuml"})
_PROSE_NAMES = re.compile(
    r"README|CHANGES|CHANGELOG|CONTRIBUTING|AUTHORS|LICENSE|LICENCE|NOTICE|COPYING|TODO|INSTALL|NEWS"
)
_NO_PROSE = re.compile(r"cmakelists\.txt|(?:.*[._-])?(?:requirements|constraints)(?:[._-].*)?\.txt", re.IGNORECASE)
_MARKS = ("linguist-generated", "linguist-vendored", "binary")
_LARGEST_RULES = 100_000  # bytes of one .gitattributes file
_MOST_RULES = 500  # such files
_RULES_SECONDS = 3.0  # to apply them, and one more for so many paths:
_PATHS_A_SECOND = 2_000  # a hundredth of what is usual

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Choice:
    """The files that are documents, by path, and how many others there are, by reason."""

    files: Mapping[str, Entry]
    left_out: Mapping[str, int]


def chosen(mirror: Mirror, entries: Iterable[Entry], wanted: Collection[str] | None = None) -> Choice:
    """Of all entries of a commit (or of those whose path is wanted) the ones that people write and read as text."""
    left_out: Counter[str] = Counter()
    found: dict[str, Entry] = {}
    rules: list[Entry] = []
    for entry in entries:
        if PurePosixPath(entry.path).name == ".gitattributes" and not entry.link and 0 < entry.size <= _LARGEST_RULES:
            rules.append(entry)
        if wanted is None or entry.path in wanted:
            reason = _why_not(entry)
            if reason:
                left_out[reason] += 1
            else:
                found[entry.path] = entry
    for path in _marked(mirror, rules[:_MOST_RULES], list(found)):
        del found[path]
        left_out["generated or copied"] += 1
    return Choice(found, left_out)


def is_foreign(path: str) -> bool:
    """Whether a file's place or name says that nobody here writes it."""
    found = PurePosixPath(path)
    return (
        not _FOREIGN_FOLDERS.isdisjoint(found.parts[:-1]) or found.name in _LOCK_FILES or bool(_GENERATED.search(path))
    )


def holds_no_text(path: str) -> bool:
    """Whether a file's name says that it is a picture, an archive, a program or an office file."""
    return bool(_NO_TEXT.search(path))


def is_prose(path: str) -> bool:
    """Whether people read the file, rather than a compiler or another program."""
    found = PurePosixPath(path)
    if found.suffix.lower() in _PROSE | _DIAGRAMS:
        return not _NO_PROSE.fullmatch(found.name)
    return bool(_PROSE_NAMES.fullmatch(found.name))


def _why_not(entry: Entry) -> str | None:
    if entry.link:
        return "symbolic link"
    if is_foreign(entry.path):
        return "generated or copied"
    if holds_no_text(entry.path):
        return "picture, archive, program or office file"
    return None if entry.size else "empty"


def _marked(mirror: Mirror, rules: list[Entry], paths: list[str]) -> set[str]:
    """The paths that these `.gitattributes` say are not people's own text."""
    if not rules or not paths:
        return set()
    try:
        said = list(mirror.attributes(rules, paths, _MARKS, _RULES_SECONDS + len(paths) / _PATHS_A_SECOND))
    except SourceUnavailable as error:  # patterns can be written that take for ever
        log.warning("gitattributes not read", rules=[shown(rule.path) for rule in rules[:5]], reason=str(error))
        return set()
    return {path for path, _name, value in said if value in {"set", "true"}}
