"""Probes for tests, and a time at which they read."""

import time
from datetime import UTC, datetime

from core.probes.make import Credentials, Where, make_probe

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
TOKEN = "very-secret-token"
COMMIT = "4f2a91c0d3b5e7f9a1c3e5f7091b2d4f6a8c0e21"
OTHER = "9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a291807"


def probe(kind, url, where, **changed):
    given = {"name": "stage", "environment": "staging", "repo": "booking-api", "clock": lambda: NOW, **changed}
    given.setdefault("credentials", Credentials(TOKEN))
    return make_probe(kind, url=url, where=Where(**where), **given)


def read(kind, url, where, *, seconds=5, **changed):
    """What is read, and never later than it may be."""
    began = time.monotonic()
    reading = probe(kind, url, where, **changed).read(seconds)
    assert time.monotonic() - began < seconds + 0.7
    assert (reading.probe, reading.environment, reading.repo, reading.at) == ("stage", "staging", "booking-api", NOW)
    assert not (reading.unread and reading.running)
    assert TOKEN not in repr(reading)
    return reading
