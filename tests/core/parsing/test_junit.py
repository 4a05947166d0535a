"""Reports of several tools, and files that are none."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing.junit import CaseResult, ReportUnreadable, results

PYTEST = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1" skipped="1" tests="3" time="0.1"
 timestamp="2026-03-02T09:00:00.123456+00:00" hostname="ci">
<testcase classname="tests.test_lock" name="test_locks[8]" time="0.01"/>
<testcase classname="tests.test_lock" name="test_tells" time="0.01"><failure message="assert 5 == 8">def test_tells():
&gt;  assert 5 == 8</failure><system-out>counted 5</system-out></testcase>
<testcase classname="tests.test_lock" name="test_mail" time="0"><skipped type="pytest.skip"
 message="no server">x.py:3</skipped></testcase>
</testsuite></testsuites>"""

SUREFIRE = """<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 name="com.firm.LockTest" tests="3" version="3.0">
<properties><property name="java.version" value="21"/></properties>
<testcase name="locks" classname="com.firm.LockTest" time="0.2">
<error type="java.lang.NullPointerException"><![CDATA[at <init>]]></error>
<system-err>boom</system-err></testcase>
<testcase name="flaky" classname="com.firm.LockTest"><flakyFailure message="once">t</flakyFailure></testcase>
<testcase name="rerun" classname="com.firm.LockTest">
<failure message="first">a</failure><rerunFailure message="second">b</rerunFailure></testcase>
</testsuite>"""

JEST = """<testsuites name="jest tests"><testsuite name="Lock" timestamp="2026-03-02T09:00:00">
<testcase classname="Lock tells the passenger" name="Lock tells the passenger"><failure>Error: expected
    at x.js:1</failure></testcase></testsuite>
<testsuite name="outer"><testsuite name="inner"><testcase name="nested"/></testsuite>
<testcase name="beside"/></testsuite>
</testsuites>"""


def read(text):
    return list(results(text.encode()))


def test_pytest():
    passed, failed, skipped = read(PYTEST)
    at = "2026-03-02T09:00:00.123456+00:00"
    assert passed == CaseResult("tests.test_lock", "test_locks[8]", "passed", "", at)
    assert (failed.status, skipped.status, skipped.message) == ("failed", "skipped", "no server\nx.py:3")
    assert failed.message == "assert 5 == 8\ndef test_tells():\n>  assert 5 == 8\ncounted 5"


def test_surefire():
    error, flaky, rerun = read(SUREFIRE)
    assert (error.status, error.message) == ("error", "java.lang.NullPointerException\nat <init>\nboom")
    assert flaky == CaseResult("com.firm.LockTest", "flaky", "passed")
    assert (rerun.status, rerun.message) == ("failed", "first\na")


def test_jest_and_suites_in_suites():
    failed, nested, beside = read(JEST)
    assert (failed.name, failed.status) == ("Lock tells the passenger", "failed")
    assert failed.message.startswith("Error: expected")
    assert [(case.suite, case.name) for case in (nested, beside)] == [("inner", "nested"), ("outer", "beside")]


def test_output_is_bounded():
    (case,) = read(
        f"<testsuite><testcase><failure>f</failure><system-out>{'x' * 3_000_000}end</system-out></testcase></testsuite>"
    )
    assert len(case.message) < 600
    assert case.message.endswith("end")
    (case,) = read(
        f"<testsuite><testcase><failure message='{'m' * 100_000}'>{'x' * 100_000}</failure></testcase></testsuite>"
    )
    assert len(case.message) == 2_000


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no XML"),
        ("no xml", "no XML"),
        ("<html><body/></html>", "<html>"),
        ("<testsuite><testcase>", "no XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><testsuite name="&b;"/>', "document type"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuite/>', "document type"),
        ("<testsuite>" * 100 + "</testsuite>" * 100, "deeply"),
    ],
)
def test_what_is_no_report(text, says):
    with pytest.raises(ReportUnreadable, match=says):
        read(text)


def test_an_entity_bomb_is_refused_before_it_grows():
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 20))
    with pytest.raises(ReportUnreadable, match="document type"):
        read(f'<!DOCTYPE a [<!ENTITY e0 "x">{entities}]><testsuite name="&e19;"/>')


def test_what_came_before_the_break_is_read():
    cases = results(b"<testsuite>" + b"<testcase name='a'/>" * 10_000)
    assert next(cases).name == "a"
    with pytest.raises(ReportUnreadable):
        list(cases)


@given(st.binary(max_size=300))
def test_any_bytes(data):
    with contextlib.suppress(ReportUnreadable):
        list(results(data))
