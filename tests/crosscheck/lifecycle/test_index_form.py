"""An index is of one form, by its number; it is not searched as if it were of another."""

import hashlib
import json
from dataclasses import fields
from datetime import UTC, datetime

import pytest

from core.embedders import Embedders
from core.errors import IndexMismatch
from core.store.base import SCHEMA, Passage
from core.store.edge import EdgeStore
from core.store.made_by import maker
from core.store.payload import to_payload
from tests.core.parts import Letters

FORMS = {5: "46c4e3cdaa26"}
"""What is stored of a chunk, as a digest of its fields, by the form's number."""
AT = datetime(2026, 1, 1, tzinfo=UTC)


def digest() -> str:
    passage = Passage("d", 0, "s", "code", "t", "u", "x", "c", frozenset({"l"}), AT, "h", 1, path="a/b.py", repo="r")
    told = [sorted(to_payload(passage)), sorted(one.name for one in fields(Passage))]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]


def test_another_form_has_another_number():
    """When this fails, what is stored was changed: raise SCHEMA, and put the new number and digest here."""
    assert {SCHEMA: digest()} == FORMS


def test_an_index_of_another_form_is_not_opened(tmp_path):
    embedders = Embedders.same(Letters(8))
    EdgeStore.open(tmp_path / "index", embedders).close()
    about = tmp_path / "index" / "index.json"
    made = json.loads(about.read_text("utf-8"))
    assert made == maker(embedders)
    about.write_text(json.dumps({**made, "schema": SCHEMA - 1}), "utf-8")
    with pytest.raises(IndexMismatch, match="was made by"):
        EdgeStore.open(tmp_path / "index", embedders)
