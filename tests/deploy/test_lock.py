"""The lock names exactly what the image is made of, and no place to get it from."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.deploy.files import DEPLOY, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WANTED = {
    "requirements.lock": PROJECT["project"]["dependencies"],
    "build.lock": PROJECT["build-system"]["requires"],
}
PIN = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[^ ]+)(?P<hashes>(?: --hash=sha256:[0-9a-f]{64})+)")


def lines(lock: str) -> list[str]:
    return (DEPLOY / lock).read_text("utf-8").replace(" \\\n    ", " ").splitlines()


def pins(lock: str) -> dict[str, Version]:
    found = [PIN.fullmatch(line) for line in lines(lock)]
    return {match["name"]: Version(match["version"]) for match in found if match}


@pytest.mark.parametrize("lock", WANTED)
def test_each_line_is_one_version_with_hashes_and_names_no_place(lock):
    assert [line for line in lines(lock) if not PIN.fullmatch(line)] == []
    assert len(pins(lock)) == len(lines(lock))


@pytest.mark.parametrize("lock", WANTED)
def test_what_the_project_asks_for_is_locked(lock):
    """What those ask for in turn is checked by the installation itself (test_image)."""
    locked = pins(lock)
    for requirement in map(Requirement, WANTED[lock]):
        version = locked.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement} is not locked: make lock"
        assert version in requirement.specifier, f"{requirement} is locked as {version}: make lock"


def test_what_the_tests_are_made_of_is_not_in_the_image():
    """Unless the product asks for it too."""
    product = {canonicalize_name(Requirement(one).name) for one in WANTED["requirements.lock"]}
    for unwanted in ("pytest", "hypothesis", "mypy", "selenium", "torch", "setuptools", "pip"):
        assert unwanted not in product
        assert unwanted not in pins("requirements.lock")
