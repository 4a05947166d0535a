"""The secrets that the settings call for, looked at together before anything starts."""

from collections.abc import Iterator

from crosscheck.errors import BadSettings
from crosscheck.settings import Secrets, Settings, variable
from crosscheck.tokens import fault


def require(settings: Settings, secrets: Secrets) -> None:
    """Raises BadSettings that names every secret which is missing, or cannot be what it is to be."""
    wrong = [*_named(settings, secrets), *_of_hosts(settings, secrets)]
    if wrong:
        lines = "\n".join(f"  {line}" for line in wrong)
        raise BadSettings(
            "The settings call for secrets, in the environment of this process or as files in the folder that "
            f"CROSSCHECK_SECRETS_FOLDER names:\n{lines}\n"
            "Once they are set, `crosscheck doctor` checks them."
        )


def _named(settings: Settings, secrets: Secrets) -> Iterator[str]:
    for name in _called_for(settings):
        value = secrets.wanted(name)
        if not value:
            yield f"{variable(name)} is not set: {Secrets.model_fields[name].description}"
        elif found := fault(name, value):
            yield f"{variable(name)} {found}."


def _called_for(settings: Settings) -> Iterator[str]:
    if settings.jira:
        yield from ("jira_read_token", "jira_post_token")
    if settings.slack:
        yield from ("slack_bot_token", "slack_signing_secret" if settings.slack_calls else "slack_app_token")
    if settings.confluence:
        yield from ("confluence_token", *(["confluence_post_token"] if settings.confluence.answers else []))
    fallback = settings.model.fallback if settings.model else None
    models = {
        "model_api_key": settings.model,
        "fallback_api_key": fallback,
        "pictures_api_key": settings.pictures,
    }
    # A server of one's own may want no key.
    yield from (name for name, model in models.items() if model and not model.base_url)


def _of_hosts(settings: Settings, secrets: Secrets) -> Iterator[str]:
    used = {git.host for git in settings.git}
    for host in settings.hosts:
        if host.name in used and not secrets.host_token(host.name):
            yield (
                f"CROSSCHECK_HOST_TOKEN_{host.name.upper()} is not set: a token of {host.url} that may read "
                "repositories and pull requests, and nothing else."
            )
