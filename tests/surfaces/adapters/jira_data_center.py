"""Jira Data Center: comments in wiki markup, people by personal access tokens."""

from collections.abc import Mapping
from typing import Any

from crosscheck.settings_sources import Jira
from sandbox.adf import paragraphs
from sandbox.issues import INTERNAL, Note
from tests.bots.jira.wiki_reader import read
from tests.surfaces.company import DEVELOPER
from tests.surfaces.contract import Asked, Reply
from tests.surfaces.jira_base import JiraSurface

PLAIN = frozenset({"heading", "item", "cell", "header", "code", "noformat", "strong", "mono"})
"""Constructs that do nothing."""


class JiraDataCenter(JiraSurface):
    name = "jira-data-center"
    data_center = True

    def own_settings(self) -> Mapping[str, Any]:
        return {"jira": Jira(site=self.box.jira_data_center_url, projects=("SHOP", "HELP"))}

    def _written(self, key: str, text: str, *, role: str | None = None, internal: bool = False) -> str:
        properties = {INTERNAL: {"internal": True}} if internal else {}
        with self.jira.changing(key) as issue:
            note = self.jira.write(issue, DEVELOPER.id, paragraphs(text), role, None, properties, wiki=text)
        return str(note.id)

    def rewrite(self, asked: Asked, text: str) -> None:
        with self.jira.changing(asked.place) as issue:
            note = issue.notes[asked.id]
            self.jira.rewrite(issue, note, note.author, paragraphs(text), text)

    def reply(self, note: Note) -> Reply:
        assert note.wiki is not None
        page = read(note.wiki)
        does = (f"link {what}" if kind == "link" else f"{kind} {what}" for kind, what in page.made if kind not in PLAIN)
        return Reply(note.id, page.text, len(note.wiki), tuple(does))


SURFACE = JiraDataCenter
