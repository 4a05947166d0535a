"""Each line of the threat model has a test, and the test is there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "security.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows():
    lines = PAGE.read_text("utf-8").splitlines()
    tables = [line for line in lines if line.startswith("|") and not set(line) <= set("|-")]
    return [line for line in tables if not line.endswith("| test |")]


def named_in(file):
    """The names of its tests, of those in classes as well."""
    nodes = ast.walk(ast.parse((ROOT / file).read_text("utf-8")))
    functions = (node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {name for name in functions if name.startswith("test")}


@pytest.mark.parametrize("row", rows())
def test_each_line_names_tests_that_are_there(row):
    named = NAMED.findall(row.rpartition("|")[0].rpartition("|")[2])
    assert named, "this line has no test"
    for file, name in named:
        assert (ROOT / file).is_file(), f"there is no {file}"
        assert name in named_in(file), f"{file} has no {name}"


def test_there_are_lines_for_everybody_who_can_send_something():
    text = PAGE.read_text("utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    for who in ("anonymous network", "webhook", "People who ask", "Customers", "Authors", "Model", "tokens", "host"):
        assert any(who in heading for heading in headings)
    assert len(rows()) >= 60
