"""Test records from exports and reports: one document a case, whatever the files are like."""

import io
import os
from datetime import UTC, datetime

import openpyxl
import pytest

from core.connectors.base import Connector
from core.connectors.qa import QaConnector
from core.errors import SourceIncomplete, SourceUnavailable
from core.parsing.files import FileReader
from core.visibility import qa_records

COLUMNS = {
    "id": "Case ID",
    "title": "Title",
    "suite": "Section",
    "steps": "Steps",
    "expected": "Expected result",
    "result": "Status",
    "date": "Executed on",
    "ticket": "References",
    "component": "Component",
    "priority": "Priority",
    "message": "Comment",
}
MARCH = "Case ID,Title,Section,Steps,Expected result,Status,Executed on,References,Component,Priority,Comment,Browser\n"
MARCH += 'TC-1,Lock after eight,Sign-in,"1. open\n2. fail",locked,Passed,2026-03-01,BKG-142,login,High,,Firefox\n'
MARCH += "TC-2,Tell by mail,Sign-in,fail,mail,FAILED,2026-03-01,UTF-8,login,Low,no mail came,Firefox\n"
APRIL = "Case ID;Title;Status;Executed on;Comment\nTC-1;Lock after 8;nok;2026-04-01;it was ten\n"
REPORT = """<testsuite name="pytest" timestamp="2026-05-01T10:00:00+02:00">
<testcase classname="tests.test_lock" name="test_bkg_142_lock">
<failure message="assert 10 == 8">trace</failure></testcase>
<testcase classname="tests.test_lock" name="test_other"/></testsuite>"""


@pytest.fixture(scope="module")
def read():
    reader = FileReader(processes=1)
    yield reader
    reader.close()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "march.csv").write_text(MARCH)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "april.csv").write_text(APRIL)
    (tmp_path / "report.xml").write_text(REPORT)
    (tmp_path / "notes.txt").write_text("not looked at")
    return tmp_path


@pytest.fixture
def lab(folder, read):
    return connector(folder, read)


def connector(folder, read, columns=COLUMNS, **options):
    return QaConnector("lab", folder, columns, read, **{"projects": ["BKG"], **options})


def by_id(documents):
    return {document.id: document for document in documents}


def test_a_case_gathers_its_results(lab):
    source: Connector = lab
    case = by_id(source.load())["qa:lab:TC-1"]
    assert (case.kind, case.source, case.title) == ("qa", "lab", "TC-1 Lock after 8")
    assert case.labels == {qa_records("lab")}
    assert case.keys == {"TC-1", "BKG-142"}
    assert case.updated == datetime(2026, 4, 1, tzinfo=UTC)
    assert case.attributes == {"type": "test case", "status": "failed", "runs": "2"}
    assert "Latest result: failed on 2026-04-01. Runs: 2 (1 passed, 1 failed)." in case.text
    assert "Steps: 1. open 2. fail" in case.text
    assert "Expected result: locked" in case.text
    assert "Browser: Firefox" in case.text
    assert "2026-04-01, failed (runs/april.csv, row 2):\n\n```\nit was ten\n```" in case.text
    assert "march.csv, row 2" in case.text


def test_tickets_are_named_by_the_list_of_projects(lab, folder, read):
    documents = by_id(lab.load())
    assert documents["qa:lab:TC-2"].keys == {"TC-2"}  # UTF-8 is no ticket
    named = documents["qa:lab:tests.test_lock.test_bkg_142_lock"]
    assert named.keys == {"tests.test_lock.test_bkg_142_lock", "BKG-142"}
    assert by_id(connector(folder, read, projects=()).load())["qa:lab:TC-1"].keys == {"TC-1"}


def test_reports(lab):
    documents = by_id(lab.load())
    failed, passed = (documents[f"qa:lab:tests.test_lock.{name}"] for name in ("test_bkg_142_lock", "test_other"))
    assert failed.updated == datetime(2026, 5, 1, 8, tzinfo=UTC)
    assert "assert 10 == 8\ntrace" in failed.text
    assert (failed.attributes["status"], passed.attributes["status"]) == ("failed", "passed")


def test_a_sheet(tmp_path, read):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Run 7"
    sheet.append(["Case ID", "Title", "Status", "Executed on", "Steps"])
    sheet.append(["TC-1", "Pipe | it", "Passed", datetime(2026, 3, 1), "1. a\n2. b"])  # noqa: DTZ001 sheets have no zones
    sheet.append(["TC-2", "Other", "blocked", datetime(2026, 3, 2, 8), ""])  # noqa: DTZ001
    data = io.BytesIO()
    book.save(data)
    (tmp_path / "run.xlsx").write_bytes(data.getvalue())
    documents = by_id(connector(tmp_path, read).load())
    assert documents["qa:lab:TC-1"].title == "TC-1 Pipe | it"
    assert "## Steps\n\n1. a\n2. b" in documents["qa:lab:TC-1"].text
    assert "run.xlsx, sheet Run 7, row" in documents["qa:lab:TC-1"].text
    assert documents["qa:lab:TC-2"].attributes["status"] == "blocked"
    assert documents["qa:lab:TC-2"].updated == datetime(2026, 3, 2, 8, tzinfo=UTC)


def test_a_case_without_an_id_has_a_stable_one(tmp_path, read):
    columns = {"title": "Name", "suite": "Group", "result": "Result"}
    (tmp_path / "a.csv").write_text("Name,Group,Result\nLock,Web,ok\nLock,App,ok\n")
    first = set(by_id(connector(tmp_path, read, columns).load()))
    (tmp_path / "a.csv").write_text("Result,Group,Name\nfail,App,Lock\nok,Web,Lock\n")
    documents = by_id(connector(tmp_path, read, columns).load())
    assert set(documents) == first
    assert len(first) == 2
    assert {document.attributes["status"] for document in documents.values()} == {"failed", "passed"}


def test_a_run_that_two_exports_hold_counts_once(tmp_path, read):
    (tmp_path / "march.csv").write_text(MARCH)
    (tmp_path / "march again.csv").write_text(MARCH)
    assert by_id(connector(tmp_path, read).load())["qa:lab:TC-1"].attributes["runs"] == "1"


def test_a_described_case_that_never_ran(tmp_path, read):
    (tmp_path / "a.csv").write_text("Case ID,Title,Executed on\nTC-9,Later,next week\n")
    case = by_id(connector(tmp_path, read).load())["qa:lab:TC-9"]
    assert "No run is recorded." in case.text
    assert "Executed on: next week" in case.text
    assert "status" not in case.attributes


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("bad.xml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><testsuite/>", "document type"),
        ("page.xml", b"<html/>", "no test report"),
        ("broken.xlsx", b"PK\x03\x04", ""),
        ("empty.csv", b"", "empty"),
        ("other.csv", b"a,b\n1,2\n", "no column “Case ID” or “Title”"),
        ("half.xml", b"<testsuite><testcase name='x'/>", "not all of it"),
        ("large.csv", b"x" * 2_000, "larger than 1,000 bytes"),
    ],
)
def test_a_bad_file_costs_itself_and_is_said(folder, read, name, content, says):
    (folder / name).write_bytes(content)
    lab = connector(folder, read, largest=1_000)
    documents = by_id(lab.load())
    said = documents[f"qa:lab://{name}"]
    assert says in said.unread[0]
    assert said.text == "\n".join(f"[{reason}]" for reason in said.unread)
    assert "qa:lab:TC-1" in documents
    assert lab.ids() == set(documents)


def test_what_came_before_the_break_counts(folder, read):
    (folder / "half.xml").write_bytes(b"<testsuite><testcase name='x'/>")
    assert "qa:lab:x" in by_id(connector(folder, read).load())


def test_a_file_that_goes_meanwhile_costs_the_mark(folder, read):
    def and_remove(name, data):
        (folder / "runs" / "april.csv").unlink(missing_ok=True)
        return read(name, data)

    found = []
    with pytest.raises(SourceIncomplete, match=r"april\.csv"):
        found.extend(connector(folder, and_remove).load())
    assert by_id(found)["qa:lab:TC-1"].attributes["runs"] == "1"


def test_a_file_that_may_not_be_read_says_so_and_costs_no_other(folder, read):
    folder.chmod(0o755)
    for path in (*folder.parents, folder / "runs"):
        if path.stat().st_uid == os.geteuid() and path.parent != path:
            path.chmod(path.stat().st_mode | 0o055)
    april = folder / "runs" / "april.csv"
    april.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        documents = by_id(connector(folder, read).load())
    finally:
        if root:
            os.seteuid(0)
    assert documents["qa:lab://runs/april.csv"].unread == ("could not be read: permission denied",)
    assert documents["qa:lab:TC-1"].attributes["runs"] == "1"


def test_what_is_no_file_is_not_listed(folder, lab):
    mark = lab.mark()
    os.mkfifo(folder / "pipe.csv")
    (folder / "link.csv").symlink_to("/etc/passwd")
    (folder / "loop").symlink_to(folder)
    assert lab.mark() == mark


def test_an_empty_folder_is_no_empty_source(tmp_path, read):
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(SourceUnavailable):
            connector(folder, read).ids()


def test_the_same_again_and_what_changed(folder, lab):
    assert list(lab.load()) == list(lab.load())
    assert lab.total() == 4
    mark = lab.mark()
    assert list(lab.changed_since(mark)) == []
    before = by_id(lab.load())
    (folder / "runs" / "april.csv").write_text(APRIL.replace("nok", "ok"))
    after = by_id(lab.changed_since(mark))
    assert {key for key in after if after[key].version != before[key].version} == {"qa:lab:TC-1"}
    (folder / "report.xml").unlink()
    assert lab.ids() == {"qa:lab:TC-1", "qa:lab:TC-2"}
    assert lab.removed_since(mark, {"qa:lab:TC-1", "qa:lab:tests.test_lock.test_other"}) == {
        "qa:lab:tests.test_lock.test_other"
    }


def test_labels(folder, read, lab):
    assert lab.labels_now(["qa:lab:TC-1", "qa:lab:TC-77"]) == {"qa:lab:TC-1": {"qa:lab"}, "qa:lab:TC-77": None}
    told = connector(folder, read, labels=frozenset({"org"}), link="https://host.example/{path}?raw")
    case = by_id(told.load())["qa:lab:TC-1"]
    assert case.labels == {"org"}
    assert case.url == "https://host.example/runs/april.csv?raw"


def test_a_column_that_nobody_knows_is_refused(tmp_path, read):
    with pytest.raises(ValueError, match="tester"):
        connector(tmp_path, read, {"title": "T", "tester": "X"})


def test_many_rows(tmp_path, read):
    rows = "".join(f"TC-{n},Case {n},passed,2026-03-01,\n" for n in range(20_000))
    (tmp_path / "many.csv").write_text("Case ID,Title,Status,Executed on,Comment\n" + rows)
    documents = by_id(connector(tmp_path, read).load())
    assert len(documents) == 20_000
    assert "many.csv, row 20,001" in documents["qa:lab:TC-19999"].text
