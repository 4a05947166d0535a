"""What the product's own code may not do, whoever writes the next line."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("bots", "core", "crosscheck", "review", "state")
STARTS = {"core/mirror/process.py", "core/parsing/child.py"}
"""Git, with a fixed list of arguments, and the reader of strangers' files."""
RUNS_CODE = ("pickle", "marshal", "shelve", "dill")
"""Modules whose `load` and `loads` run what they read."""


def modules():
    for package in PRODUCT:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def called(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), {one.arg: ast.unparse(one.value) for one in node.keywords}


def test_processes_are_started_in_two_places_and_never_by_a_shell():
    starting = set()
    for name, tree in modules():
        if {"subprocess", "pty", "multiprocessing"} & set(imported(tree)):
            starting.add(name)
        for function, named in called(tree):
            assert named.get("shell", "False") == "False", name
            assert not function.startswith(("os.system", "os.popen", "os.exec", "os.spawn", "os.posix_spawn")), name
    assert starting - STARTS == set()


def test_nothing_that_runs_code_is_read():
    for name, tree in modules():
        froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module in RUNS_CODE]
        taken = {alias.name for node in froms for alias in node.names}
        assert taken <= {"UnpicklingError"}, name
        for function, _named in called(tree):
            assert function not in {"eval", "exec", "__import__", "torch.load", "numpy.load"}, name
            assert function.partition(".")[0] not in RUNS_CODE, name


def test_no_certificate_goes_unchecked():
    for name, tree in modules():
        for _function, named in called(tree):
            assert named.get("verify") != "False", name
            assert named.get("check_hostname") != "False", name
