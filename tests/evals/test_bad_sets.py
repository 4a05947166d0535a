"""Sets that are not whole or not right end in one sentence that names what is wrong."""

import json
from pathlib import Path

import pytest

from evals.harness.errors import EvalError
from evals.retrieval.baseline import Baseline
from evals.retrieval.errors import BadSet, NoPackage
from evals.retrieval.packages import by_pip, contents, requirement_of
from evals.retrieval.sets import recognise
from tests.evals import small_sets
from tests.evals.small_sets import digest, wheel


def refused(folder: Path, fetch=by_pip) -> str:
    with pytest.raises(EvalError) as caught:
        list(recognise(folder, fetch).corpora())
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_a_folder_that_is_no_set(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere") == f"There is no folder {tmp_path / 'nowhere'}."
    assert "is no retrieval set" in refused(tmp_path)


@pytest.mark.parametrize(
    ("make", "file"),
    [
        (small_sets.issues, "packages.json"),
        (small_sets.questions, "chunks.jsonl"),
        (small_sets.questions, "queries.jsonl"),
        (small_sets.mixed, "commits.jsonl"),
        (small_sets.mixed, "queries.jsonl"),
        (small_sets.corpus, "queries.jsonl"),
    ],
)
def test_a_missing_file_is_named(tmp_path: Path, make, file: str) -> None:
    make(tmp_path / "set")
    (tmp_path / "set" / file).unlink()
    assert f"no {file}" in refused(tmp_path / "set")


@pytest.mark.parametrize(
    ("make", "file"),
    [
        (small_sets.issues, "tasks.jsonl"),
        (small_sets.questions, "documents.jsonl"),
        (small_sets.questions, "chunks.jsonl"),
        (small_sets.mixed, "commits.jsonl"),
        (small_sets.corpus, "corpus.jsonl"),
        (small_sets.corpus, "queries.jsonl"),
    ],
)
def test_a_file_of_lines_that_is_empty_or_malformed_is_named(tmp_path: Path, make, file: str) -> None:
    make(tmp_path / "set")
    path = tmp_path / "set" / file
    good = path.read_text()
    path.write_text(good + '{"_id": "x", \n')
    assert f"{file}, line {good.count(chr(10)) + 1}: this is not JSON" in refused(tmp_path / "set")
    path.write_text(good + "[" * 100_000)
    assert "this is not JSON" in refused(tmp_path / "set")
    path.write_text(good + "[1]\n")
    assert "this is not a JSON object" in refused(tmp_path / "set")
    path.write_text("\n")
    assert f"{file} is empty" in refused(tmp_path / "set")
    path.write_bytes(b"\xff\xfe{}")
    assert f"{file} cannot be read" in refused(tmp_path / "set")


def test_records_that_lack_what_they_need(tmp_path: Path) -> None:
    small_sets.corpus(tmp_path / "set")
    small_sets.lines(tmp_path / "set" / "corpus.jsonl", [{"_id": "LAMP-1", "title": "No text"}])
    assert "LAMP-1 has no text in 'text'" in refused(tmp_path / "set")
    small_sets.lines(tmp_path / "set" / "corpus.jsonl", [{"_id": "LAMP-1", "text": "a"}] * 2)
    assert "there are two of LAMP-1" in refused(tmp_path / "set")


def test_answers_that_are_no_table(tmp_path: Path) -> None:
    small_sets.corpus(tmp_path / "set")
    (tmp_path / "set" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq-2 LAMP-3 1\n")
    assert "test.tsv, line 2" in refused(tmp_path / "set")


def test_spans_that_are_not_in_their_documents(tmp_path: Path) -> None:
    small_sets.questions(tmp_path / "set")
    spans = [{"_id": "d1:0", "document": "d1", "start": 0, "end": 10_000}]
    small_sets.lines(tmp_path / "set" / "chunks.jsonl", spans)
    assert "d1:0 is no part of d1" in refused(tmp_path / "set")


def test_a_packed_file_that_is_cut_off(tmp_path: Path) -> None:
    small_sets.corpus(tmp_path / "set", "corpus.jsonl.gz")
    path = tmp_path / "set" / "corpus.jsonl.gz"
    path.write_bytes(path.read_bytes()[:60])
    assert "corpus.jsonl.gz cannot be read" in refused(tmp_path / "set")


# Packages


def test_a_package_with_another_digest_is_not_the_one(tmp_path: Path) -> None:
    fetch = small_sets.issues(tmp_path / "set")
    path = tmp_path / "set" / "packages.json"
    packages = json.loads(path.read_text())
    path.write_text(json.dumps({name: {**about, "sha256": "0" * 64} for name, about in packages.items()}))
    assert "is not the lamp==1.0 that this set is about" in refused(tmp_path / "set", fetch)
    path.write_text(json.dumps({name: {} for name in packages}))
    assert "The SHA-256 of lamp==1.0 is missing" in refused(tmp_path / "set", fetch)
    path.write_text(json.dumps({"lamp==1.0": packages["lamp==1.0"]}))
    assert "lamp==2.0, which packages.json does not name" in refused(tmp_path / "set", fetch)


def test_a_manifest_that_names_what_its_archive_lacks(tmp_path: Path) -> None:
    fetch = small_sets.mixed(tmp_path / "set")
    path = tmp_path / "set" / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "files": {**manifest["files"], "lamp/gone.py": "code"}}))
    assert "does not hold lamp/gone.py" in refused(tmp_path / "set", fetch)
    path.write_text(json.dumps({**manifest, "files": {}}))
    assert "names no files" in refused(tmp_path / "set", fetch)
    path.write_text(json.dumps({**manifest, "sdist": "lamps"}))
    assert "does not name a package" in refused(tmp_path / "set", fetch)


@pytest.mark.parametrize("name", ["../lamp.py", "/etc/lamp.py", "lamp/../../x.py", "C:/lamp.py", "..\\lamp.py"])
@pytest.mark.parametrize("form", [small_sets.wheel, small_sets.sdist])
def test_an_archive_with_files_that_lead_out_of_it_is_not_read(tmp_path: Path, name: str, form) -> None:
    archive = form(tmp_path / "lamp-1.0", {name: "x = 1\n"})
    with pytest.raises(NoPackage, match="leads out of it"):
        read(archive)


def test_a_link_in_an_archive_is_no_file(tmp_path: Path) -> None:
    import tarfile

    with tarfile.open(tmp_path / "lamp-1.0.tar.gz", "w:gz") as archive:
        link = tarfile.TarInfo("lamp-1.0/secret.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    assert read(tmp_path / "lamp-1.0.tar.gz") == {}


def test_an_archive_that_is_broken(tmp_path: Path) -> None:
    (tmp_path / "lamp-1.0.whl").write_bytes(b"PK no archive")
    with pytest.raises(NoPackage, match="cannot be read"):
        read(tmp_path / "lamp-1.0.whl")
    whole = wheel(tmp_path / "lamp-2.0.whl", {"lamp.py": "x = 1\n" * 1000})
    data = bytearray(whole.read_bytes())
    data[60] ^= 0xFF  # in the file's content: its checksum does not hold any more
    whole.write_bytes(data)
    with pytest.raises(NoPackage, match="cannot be read"):
        read(whole)


def read(archive: Path) -> dict[str, bytes]:
    fetch = small_sets.Warehouse({"lamp==1.0": archive})
    return contents("lamp==1.0", digest(archive), fetch, lambda _path: True, source=False)


def test_a_requirement_is_nothing_else(tmp_path: Path) -> None:
    for requirement in ("lamp", "--index-url=x==1", "lamp==1.0 other", "lamp @ file:///x", "lamp==1\n-r x"):
        with pytest.raises(BadSet, match="NAME==VERSION"):
            contents(requirement, "0" * 64, small_sets.Warehouse({}), lambda _path: True, source=False)
    assert requirement_of("Lamp-4.0.tar.gz (pip download --no-deps Lamp==4.0)") == "Lamp==4.0"
    assert requirement_of("desk-lamp-4.0rc1.tar.gz") == "desk-lamp==4.0rc1"
    assert requirement_of("desk_lamp-4.0.zip") == "desk_lamp==4.0"
    with pytest.raises(BadSet):
        requirement_of("x" * 1_000_000)  # and soon


def test_pip_fetches_the_file_of_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real pip, over a folder in place of an index."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    info = {"lamp-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: lamp\nVersion: 1.0\n"}
    info |= {"lamp-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    info |= {"lamp-1.0.dist-info/RECORD": ""}
    archive = wheel(shelf / "lamp-1.0-py3-none-any.whl", {"lamp/dimmer.py": small_sets.DIMMER, **info})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    found = contents("lamp==1.0", digest(archive), by_pip, lambda path: path.endswith(".py"), source=False)
    assert found == {"lamp/dimmer.py": small_sets.DIMMER.encode()}
    with pytest.raises(NoPackage, match=r"lamp==3\.0 cannot be downloaded with pip"):
        contents("lamp==3.0", "0" * 64, by_pip, lambda _path: True, source=False)


# The baseline


def test_the_baseline_prefers_rare_words_short_documents_and_nothing_without_a_word() -> None:
    baseline = Baseline(
        {
            "short": "The lamp flickers.",
            "long": "The lamp flickers. " + "It stands in the corner of the room and nobody looks at it. " * 2,
            "common": "The lamp is there.",
            "none": "Ceramic sockets",
        }
    )
    assert baseline.search("flickering lamps", 10) == ["short", "long", "common"]
    assert baseline.search("flickering lamps", 10, frozenset({"short"})) == ["long", "common"]
    assert baseline.search("flickering lamps", 1) == ["short"]
    assert baseline.search("xyzzy", 10) == []
