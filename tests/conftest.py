"""Shared fixtures. Nothing here patches the product's internals."""

import os
from pathlib import Path

import pytest
import structlog
from hypothesis import HealthCheck, settings

# No test is timed: the machines that run them are shared, and a busy one would fail what is right.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

SHARED = Path(__file__).resolve().parents[2] / "shared"
STRICT = os.environ.get("CROSSCHECK_STRICT") == "1"


def missing(reason: str) -> None:
    """Skip with a reason; under CROSSCHECK_STRICT=1 a skip is a failure."""
    if STRICT:
        pytest.fail(f"strict run: {reason}")
    pytest.skip(reason)


def pytest_runtest_teardown() -> None:
    """What a test set up for logs writes where that test's output went, which is closed now."""
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of vendors' descriptions and real payloads beside the checkout."""
    if not SHARED.is_dir():
        missing(f"{SHARED.name}/ is not beside the checkout")
    return SHARED
