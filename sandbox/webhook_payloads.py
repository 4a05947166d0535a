"""The bodies of comment webhooks. They say nothing of a comment's visibility, and its text is a plain string."""

from functools import partial
from typing import Any

from sandbox.adf import Node, plain
from sandbox.issues import Issue, Note
from sandbox.jira_data_center_json import DataCenterJson
from sandbox.jira_json import JiraJson
from sandbox.jira_state import JiraState


def cloud(jira: JiraState, event: str, issue: Issue, note: Note) -> dict[str, Any]:
    view = JiraJson(jira, jira.base)
    user = partial(view.user, api=f"{jira.base}/rest/api/2")
    return {
        "timestamp": int(note.updated.timestamp() * 1000),
        "webhookEvent": event,
        "comment": {
            "self": f"{jira.base}/rest/api/2/issue/{issue.id}/comment/{note.id}",
            "id": note.id,
            "author": user(note.author),
            "body": plain(note.body, _mention),
            "updateAuthor": user(note.updated_by),
            "created": view.time(note.created),
            "updated": view.time(note.updated),
            "jsdPublic": not (issue.project.service_desk and note.internal),
        },
        "issue": {
            "id": issue.id,
            "self": f"{jira.base}/rest/api/2/{issue.id}",
            "key": issue.key,
            "fields": {
                "summary": issue.summary,
                "issuetype": view.type(issue.type),
                "project": view.project(issue.project),
                "assignee": user(issue.assignee) if issue.assignee else None,
                "priority": view.priority(issue),
                "status": view.status(issue.status),
            },
        },
        "eventType": "primaryAction",
    }


def data_center(jira: JiraState, event: str, issue: Issue, note: Note) -> dict[str, Any]:
    """Of the ticket only its id is said, in the comment's address; of an update also who made it."""
    comment = DataCenterJson(jira, jira.base).comment(issue, note)
    names = ("self", "id", "author", "body", "updateAuthor", "created", "updated")
    out = {
        "timestamp": int(note.updated.timestamp() * 1000),
        "webhookEvent": event,
        "comment": {name: comment[name] for name in names},
    }
    return out | ({"user": comment["updateAuthor"]} if event == "comment_updated" else {})


def _mention(node: Node) -> str:
    return f"[~accountid:{node.get('attrs', {}).get('id', '')}]"
