"""Answers of another shape than Confluence describes."""

import pytest

from core.connectors.confluence_cloud import ConfluenceCloud
from core.connectors.confluence_wire import shown
from core.connectors.http import Limits


@pytest.mark.parametrize("status", [["current"], {"current": 1}, None, 1])
def test_what_has_no_status_that_is_known_is_not_shown(status):
    assert not shown({"status": status})


def test_labels_that_are_none_are_left_out():
    cloud = ConfluenceCloud("https://wiki.example", "anna", "token", Limits(), 1_000)
    page = cloud._page({"id": "9", "labels": {"results": ["policy", None, {"name": "draft"}]}})
    assert page.labels == ("draft",)
