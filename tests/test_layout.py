"""What the packaging and the import contracts list is what there is."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FOLDERS = {
    ".".join(path.parent.relative_to(ROOT).parts)
    for path in ROOT.glob("[a-z]*/**/__init__.py")
    if path.relative_to(ROOT).parts[0] not in {"tests", "build"} and ".venv" not in path.parts
}


def test_the_wheel_holds_every_package():
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == FOLDERS


def test_no_package_escapes_the_import_contracts():
    """A root that is not listed would launder imports."""
    assert set(PROJECT["tool"]["importlinter"]["root_packages"]) == {name for name in FOLDERS if "." not in name}


def test_bots_may_import_nothing_of_core_but_its_types():
    contract = next(c for c in PROJECT["tool"]["importlinter"]["contracts"] if c.get("source_modules") == ["bots"])
    there = {
        f"core.{path.stem}"
        for path in (ROOT / "core").iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.stem not in {"__init__", "types"}
    }
    assert {name for name in contract["forbidden_modules"] if name.startswith("core.")} == there
