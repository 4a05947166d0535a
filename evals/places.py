"""Where a comment is written in a run: a ticket or a page, on each of the surfaces that comments are answered on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bots.events import Noticed
from crosscheck.settings import Settings
from crosscheck.settings_sources import Confluence
from evals.playground import delivery_key, settings
from sandbox.server import Sandbox


@dataclass(frozen=True, slots=True)
class Asked:
    """A comment that asks."""

    notice: Noticed
    written: str
    """The path of the request that answers it."""
    visible: Callable[[], int]
    """How many answers stand there."""


@dataclass(frozen=True, slots=True)
class Surface:
    settings: Callable[[Path, Sandbox, float], Settings]
    """Data folder, sandbox, seconds of a lease."""
    ask: Callable[[Sandbox, int], Asked]
    """In the ticket or page of this number."""


def _cloud(data: Path, box: Sandbox, lease: float) -> Settings:
    chosen = settings(data, box, lease=lease)
    return _in_jira(chosen, {"projects": ("RUN", "HELP")})


def _data_center(data: Path, box: Sandbox, lease: float) -> Settings:
    return _in_jira(
        settings(data, box, lease=lease), {"site": box.jira_data_center_url, "read_user": "", "post_user": ""}
    )


def _in_jira(chosen: Settings, more: Mapping[str, object]) -> Settings:
    return chosen.model_copy(update={"jira": chosen.jira and chosen.jira.model_copy(update=dict(more))})


def _wiki(data: Path, box: Sandbox, lease: float) -> Settings:
    wiki = Confluence(
        site=box.confluence_url, user=box.read_user, post_user=box.post_user, spaces=("RUN",), answers=True
    )
    return settings(data, box, lease=lease).model_copy(update={"confluence": wiki})


def _wiki_data_center(data: Path, box: Sandbox, lease: float) -> Settings:
    wiki = Confluence(site=box.confluence_data_center_url, spaces=("RUN",), answers=True)
    return settings(data, box, lease=lease).model_copy(update={"confluence": wiki})


def _in_ticket(box: Sandbox, key: str, comment: str) -> Asked:
    issue = box.jira.issue(key).id
    return Asked(
        Noticed("jira", issue, key, comment, None, "test"),
        rf"/issue/({key}|{issue})/comment$",
        lambda: sum(delivery_key(raw) is not None for raw in box.jira.comments(key)),
    )


def _limited(box: Sandbox, number: int) -> Asked:
    """Limited to a role."""
    key = f"RUN-{number}"
    return _in_ticket(box, key, box.jira.add_comment(key, "po-1", "#qa-check", role="Leads"))


def _internal(box: Sandbox, number: int) -> Asked:
    """An internal note of a service project."""
    key = f"HELP-{number}"
    return _in_ticket(box, key, box.jira.add_comment(key, "po-1", "#qa-check", internal=True))


def _on_page(path: str) -> Callable[[Sandbox, int], Asked]:
    """At a marked text, so that the answer has to stand in an inline thread."""

    def ask(box: Sandbox, number: int) -> Asked:
        notes, page, bot = box.confluence.notes, str(number), box.accounts.bot.id
        comment = notes.add(page, "#qa-check", "po-1", marked="must be decided")

        def visible() -> int:
            return sum(note.page == page and note.author == bot for note in notes)

        return Asked(Noticed("confluence", page, "", comment, None, "test"), path, visible)

    return ask


SURFACES: Mapping[str, Surface] = {
    "jira cloud": Surface(_cloud, _limited),
    "jira data center": Surface(_data_center, _limited),
    "service project": Surface(_cloud, _internal),
    "confluence cloud": Surface(_wiki, _on_page("/inline-comments$")),
    "confluence data center": Surface(_wiki_data_center, _on_page("/rest/api/content$")),
}
