"""A tiny set of each shape, about lamps that do not exist."""

import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

RELEASED = 1_700_000_000  # seconds since 1970

DIMMER = '''"""Brightness of a lamp."""


class Dimmer:
    def fade_out(self, seconds):
        """Lower the brightness step by step until the lamp is dark."""
        for step in range(100, 0, -1):
            self.brightness = step
'''
SOCKET = '''"""The socket that a bulb is screwed into."""


def fits(bulb, socket):
    return bulb.thread == socket.thread
'''
COLOUR = '''"""Colour temperature in kelvin."""


def warmer(kelvin):
    return max(kelvin - 100, 1800)
'''


def lines(path: Path, records: Iterable[Mapping[str, object]]) -> None:
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def qrels(path: Path, rows: Iterable[tuple[object, ...]]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in (("query-id", "corpus-id", "score"), *rows)))


def wheel(path: Path, files: Mapping[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def sdist(path: Path, files: Mapping[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Warehouse:
    """Hands out archives that are there, and remembers what it was asked for."""

    def __init__(self, archives: Mapping[str, Path]) -> None:
        self.archives = archives
        self.asked: list[tuple[str, bool]] = []

    def __call__(self, requirement: str, sha256: str, folder: Path, *, source: bool) -> Path:
        self.asked.append((requirement, source))
        return self.archives[requirement]


def issues(folder: Path, **changed: object) -> Warehouse:
    """Two releases of a package that its repository keeps under `src`; only the second has the colours."""
    folder.mkdir()
    old = {"lamp/dimmer.py": DIMMER, "lamp/socket.py": SOCKET, "lamp/tests/test_dimmer.py": "fade_out brightness dark"}
    new = {**old, "lamp/colour.py": COLOUR, "lamp/py.typed": "", "lamp-2.0.dist-info/METADATA": "Name: lamp"}
    archives = {
        "lamp==1.0": wheel(folder.parent / "lamp-1.0-py3-none-any.whl", old),
        "lamp==2.0": wheel(folder.parent / "lamp-2.0-py3-none-any.whl", new),
    }
    packages = {
        name: {"sha256": digest(path), "released": RELEASED + 1000 * number}
        for number, (name, path) in enumerate(archives.items())
    }
    (folder / "packages.json").write_text(json.dumps(changed.get("packages", packages)))
    lines(
        folder / "history-lamp.jsonl.gz",
        [
            _commit("aaaa000001", RELEASED - 500, "Fade without a flicker", "src/lamp/dimmer.py"),
            _commit(
                "aaaa000002", RELEASED - 400, "Count the threads of a socket", "src/lamp/socket.py", "lamp/gone.py"
            ),
            _commit("aaaa000003", RELEASED + 500, "Add colour temperature", "src/lamp/colour.py"),
            _commit("aaaa000004", RELEASED + 5000, "Fix what the reports are about", "src/lamp/dimmer.py"),
        ],
    )
    tasks = [
        _task("lamp-1", "1.0", "The lamp flickers when fade_out lowers the brightness.", "src/lamp/dimmer.py"),
        _task("lamp-2", "2.0", "warmer() goes below the lowest colour temperature.", "src/lamp/colour.py"),
        _task("lamp-3", "2.0", "A bulb does not fit the thread of its socket.", "src/lamp/socket.py"),
    ]
    lines(folder / "tasks.jsonl", changed.get("tasks", tasks))
    return Warehouse(archives)


def _commit(sha: str, date: int, message: str, *files: str) -> dict[str, object]:
    return {"sha": sha, "date": date, "message": message, "files": files}


def _task(key: str, release: str, text: str, *files: str) -> dict[str, object]:
    return {
        "instance_id": key, "package": "lamp", "release": release, "problem_statement": text, "gold_files": files
    }  # fmt: skip


def corpus(folder: Path, name: str = "corpus.jsonl") -> None:
    """Tickets; the first two are about the same, and the first is also a question."""
    folder.mkdir()
    texts = {
        "LAMP-1": ("Lamp flickers when it is dimmed", "Dim the lamp slowly: it flickers below ten percent."),
        "LAMP-2": ("Flickering while dimming", "The lamp flickers as soon as somebody dims it."),
        "LAMP-3": ("Socket cracks", "The ceramic socket cracks when the bulb is screwed in."),
        "LAMP-4": ("Invoice has the wrong address", "The address on the invoice is the old one."),
    }
    lines(folder / name, [{"_id": key, "title": title, "text": text} for key, (title, text) in texts.items()])
    asked = {"LAMP-1": "\n\n".join(texts["LAMP-1"]), "q-2": "cracked ceramic sockets"}
    lines(folder / "queries.jsonl", [{"_id": key, "text": text} for key, text in asked.items()])
    qrels(folder / "qrels" / "test.tsv", [("LAMP-1", "LAMP-2", 1), ("q-2", "LAMP-3", 1), ("q-2", "LAMP-4", 0)])


def questions(folder: Path) -> dict[str, str]:
    """Two files, cut in the middle of what a chunker would keep whole; the chunks' texts by their ids."""
    folder.mkdir()
    texts = {
        "d1": f"# Copyright Lamp Makers\n\n{DIMMER}",
        "d2": "fn socket() -> Thread {\n    let thread = bulb();\n    thread\n}\n",
    }
    cuts = {"d1": [0, 60, 120, len(texts["d1"])], "d2": [0, len(texts["d2"])]}
    chunks = [
        {"_id": f"{key}:{number}", "document": key, "start": start, "end": end}
        for key, at in cuts.items()
        for number, (start, end) in enumerate(pairwise(at))
    ]
    lines(folder / "documents.jsonl", [{"_id": key, "text": text} for key, text in texts.items()])
    lines(folder / "chunks.jsonl", chunks)
    lines(folder / "queries.jsonl", [{"_id": "q1", "text": "which thread does the bulb of a socket have"}])
    qrels(folder / "qrels.tsv", [("q1", "d2:0", 1)])
    return {str(one["_id"]): texts[str(one["document"])][one["start"] : one["end"]] for one in chunks}


def mixed(folder: Path) -> Warehouse:
    """Code, a test, documentation and two commits."""
    folder.mkdir()
    files = {
        "lamp/dimmer.py": DIMMER,
        "lamp/socket.py": SOCKET,
        "tests/test_socket.py": "def test_thread():\n    assert fits(bulb, socket)\n",
        "docs/dimming.txt": "Dimming\n=======\n\nA lamp fades out step by step.\n",
        "docs/releases/1.0.txt": "Lamp 1.0\n========\n\nThe first release.\n",
    }
    archive = sdist(folder.parent / "lamp-1.0.tar.gz", {f"lamp-1.0/{name}": text for name, text in files.items()})
    kinds = ("code", "code", "test", "doc", "release")
    manifest = {"sdist": "lamp-1.0.tar.gz", "sha256": digest(archive), "files": dict(zip(files, kinds, strict=True))}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    lines(
        folder / "commits.jsonl",
        [
            {
                "_id": "commit:bbbb00000001",
                "title": "Fixed the thread of sockets.",
                "text": "",
                "metadata": {"commit": "bbbb00000001" + "0" * 28, "date": "2026-01-02T03:04:05+01:00"},
            },
            {"_id": "commit:bbbb00000002", "title": "Wrote the first release notes.", "text": "For everybody."},
        ],
    )
    lines(folder / "queries.jsonl", [{"_id": "c1", "text": "Made dimming fade out step by step."}])
    rows = [("c1", "lamp/dimmer.py", 1, "code"), ("c1", "docs/dimming.txt", 1, "doc")]
    qrels(folder / "qrels.tsv", rows)
    return Warehouse({"lamp==1.0": archive})
