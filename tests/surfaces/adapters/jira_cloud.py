"""Jira Cloud: comments in Atlassian's document format."""

import json
from collections.abc import Iterator
from typing import Any

from sandbox.issues import Note
from tests.crosscheck.live import nodes, text_of
from tests.surfaces.contract import Reply
from tests.surfaces.jira_base import JiraSurface

PLAIN = frozenset(
    {
        *("doc", "paragraph", "heading", "text", "bulletList", "orderedList", "listItem", "codeBlock", "hardBreak"),
        *("table", "tableRow", "tableHeader", "tableCell", "rule", "strong", "code"),
    }
)
"""Nodes and marks that do nothing."""


class JiraCloud(JiraSurface):
    name = "jira-cloud"

    def reply(self, note: Note) -> Reply:
        size = len(json.dumps(note.body, ensure_ascii=False, separators=(",", ":")))
        return Reply(note.id, text_of(note.body), size, tuple(active(note.body)))


def active(document: Any) -> Iterator[str]:
    for node in nodes(document):
        if node["type"] == "link":
            yield f"link {node['attrs']['href']}"
        elif node["type"] not in PLAIN:
            yield str(node["type"])


SURFACE = JiraCloud
