"""Which labels the settings name, and whether anything that they configure can have them."""

from collections.abc import Iterator, Mapping

from core import visibility
from core.types import ORG
from crosscheck.settings import Settings


def strange(settings: Settings) -> Mapping[str, str]:
    """Labels that nothing configured can have -> the setting that names each first.

    A label of one's own is none of them where it is both mapped to others and given to somebody.
    """
    holders = settings.audience.holders
    given = dict(_given(settings))
    exact, kinds = _known(settings)
    made = holders.keys() & given.keys()
    named = {**given, **{label: "audience.holders" for label in holders if label not in given}}
    return {
        label: where
        for label, where in named.items()
        if label not in exact and label not in made and not label.startswith(kinds)
    }


def _given(settings: Settings) -> Iterator[tuple[str, str]]:
    """Labels that somebody is said to hold."""
    slack = settings.slack.channels if settings.slack else {}
    lists = [
        *(("audience.holders", labels) for labels in settings.audience.holders.values()),
        ("audience.outsiders", settings.audience.outsiders),
        *(("slack.channels", labels) for labels in slack.values()),
        *(("tokens", token.labels) for token in settings.tokens),
        ("console.labels", settings.console.labels),
        *(("console.people", labels) for labels in settings.console.people.values()),
        *(("probes", probe.labels) for probe in settings.probes),
        *(("databases", database.labels) for database in settings.databases),
    ]
    yield from ((label, where) for where, labels in lists for label in labels)


def _known(settings: Settings) -> tuple[set[str], tuple[str, ...]]:
    """Labels as a whole, and what labels begin with that only the source itself can tell."""
    exact = {ORG}
    kinds: list[str] = []
    exact |= {visibility.repository(git.name) for git in settings.git}
    exact |= {visibility.files_folder(files.name) for files in settings.files}
    exact |= {visibility.qa_records(qa.name) for qa in settings.qa}
    if settings.confluence:
        exact |= {visibility.confluence_space(key) for key in settings.confluence.spaces}
        kinds.append("restriction:")
    if settings.slack:
        kinds.append(visibility.slack_channel(""))
    if settings.jira:
        exact |= {visibility.INTERNAL, *map(visibility.jira_project, settings.jira.projects)}
        kinds.append(visibility.jira_group(""))
        for key in settings.jira.projects:
            kinds += [visibility.jira_role(key, ""), visibility.jira_security(key, "")]
    return exact, tuple(kinds)
