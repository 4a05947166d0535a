"""The settings file that `crosscheck init` writes, and the table in the documentation: both from the descriptions."""

import sys

from crosscheck.settings import LABELS, Secrets, Settings, described, variable

EXAMPLES = {
    "jira.site": '"https://example.atlassian.net"',
    "jira.read_user": '"reader@example.com"',
    "jira.post_user": '"crosscheck@example.com"',
    "jira.projects": '["PROJ"]',
    "confluence.site": '"https://example.atlassian.net"',
    "confluence.user": '"reader@example.com"',
    "confluence.spaces": '["DOCS"]',
    "confluence.post_user": '"crosscheck@example.com"',
    "git.name": '"backend"',
    "git.location": '"/srv/git/backend.git"',
    "slack.channels": '{ C0123456789 = ["jira:PROJ"] }',
    "slack.outside": '["C0123456789"]',
    "slack.follow_ups": '["C0123456789"]',
    "files.name": '"handbook"',
    "files.location": '"/srv/handbook"',
    "qa.name": '"test-runs"',
    "qa.location": '"/srv/test-runs"',
    "reranking.models.kind": '"cross_encoder"',
    "reranking.models.path": '"/srv/models/reranker"',
    "search.places": "{ ticket = 2, document = 3, code = 3 }",
    "search.apart": '["test", "generated", "news", "commit"]',
    "search.per_document": "5",
    "search.novelty": "0.1",
    "hosts.name": '"github"',
    "hosts.kind": '"github"',
    "hosts.url": '"https://github.com"',
    "probes.name": '"staging_backend"',
    "probes.environment": '"staging"',
    "probes.repo": '"backend"',
    "probes.kind": '"http"',
    "probes.url": '"https://backend.staging.example.com/version"',
    "probes.version": '"build.version"',
    "databases.name": '"staging"',
    "databases.environment": '"staging"',
    "databases.repo": '"backend"',
    "databases.tool": '"flyway"',
    "databases.path": '"db/migration"',
    "databases.url": '"postgresql://reader@db.staging.example.com/backend"',
    "tokens.name": '"build_agents"',
    "tokens.sha256": f'"{"0" * 64}"',
    "tokens.labels": '["org"]',
    "model.name": '"anthropic:MODEL"',
    "model.fallback.name": '"openai:MODEL"',
    "agents.name": '"payments"',
    "agents.kind": '"code"',
    "agents.about": '"Looks at how payments are booked and paid back."',
    "pictures.name": '"anthropic:MODEL"',
    "eval.candidates.label": '"builder"',
    "eval.candidates.dollars_in": "3.0",
    "eval.candidates.dollars_out": "15.0",
    "eval.candidates.name": '"anthropic:MODEL"',
    "eval.judges.label": '"first_judge"',
    "eval.judges.dollars_in": "3.0",
    "eval.judges.dollars_out": "15.0",
    "eval.judges.name": '"openai:MODEL"',
    "eval.writer.label": '"writer"',
    "eval.writer.dollars_in": "3.0",
    "eval.writer.dollars_out": "15.0",
    "eval.writer.name": '"anthropic:MODEL"',
}
NO_DEFAULT = '""  # none'
# Tables that are written commented out.
OPTIONAL = {
    "confluence",
    "git",
    "hosts",
    "files",
    "qa",
    "probes",
    "databases",
    "tokens",
    "slack",
    "model",
    "model.fallback",
    "agents",
    "pictures",
    "embedding.documents",
    "embedding.code",
    "reranking.models",
    "search",
    "eval.candidates",
    "eval.judges",
    "eval.writer",
}
# Tables of which there may be several.
REPEATED = {
    "git",
    "hosts",
    "files",
    "qa",
    "probes",
    "databases",
    "tokens",
    "agents",
    "reranking.models",
    "eval.candidates",
    "eval.judges",
}

HEAD = """# Crosscheck's settings. Secrets do not belong here: they come from the environment or a folder of files.
# What is commented out shows its default or an example.
"""
HOLDERS = f"""# Who holds what. A public comment in PROJ is read by people of whom only `jira:PROJ` is known; write here
# what else everybody who holds a label may read.
# Labels: {LABELS}.
# `org` is what `crosscheck search` and `review` look as, unless --as says otherwise.
# [audience.holders]
# "jira:PROJ" = ["org"]
# org = ["jira:PROJ", "confluence:DOCS", "repo:backend"]
"""


def starter() -> str:
    """A settings file with every setting, explained."""
    lines = [HEAD]
    table = ""
    for name, default, description in described():
        section, _, key = name.rpartition(".")
        if name == "audience.holders":
            continue
        if section != table:
            table = section
            header = f"[[{section}]]" if section in REPEATED else f"[{section}]"
            lines.append("\n" + ("# " if section in OPTIONAL else "") + header)
        value = EXAMPLES.get(name, default)
        commented = section in OPTIONAL or name not in EXAMPLES
        lines.append(f"# {description}")
        shown = "" if value == "(none)" else value
        commented = commented or not shown
        lines.append(f"{'# ' if commented else ''}{key} = {shown or NO_DEFAULT}")
    return "\n".join(lines) + "\n\n" + HOLDERS


def table() -> str:
    """Every setting as a Markdown table."""
    rows = [f"| `{name}` | `{default}` | {description} |" for name, default, description in described(Settings)]
    return "\n".join(["| setting | default | meaning |", "|---|---|---|", *rows])


def page() -> str:
    """The documentation page of all settings."""
    secrets = [f"| `{variable(name)}` | {field.description} |" for name, field in Secrets.model_fields.items()]
    return "\n".join(
        [
            "# Settings",
            "",
            "Made from the descriptions in `crosscheck/settings.py` by `python -m crosscheck.template`.",
            "The file is `crosscheck.toml` in the working directory, or what `--config` names.",
            "Unknown settings are refused.",
            "",
            table(),
            "",
            "## Secrets",
            "",
            "From the environment, or from a folder that the variable `CROSSCHECK_SECRETS_FOLDER` names: a file there",
            "that is named as the variable holds the secret. So Docker's secrets (`/run/secrets`), a Kubernetes Secret",
            "that is mounted, and systemd's `LoadCredential=` (`CROSSCHECK_SECRETS_FOLDER=%d`) work as they are. The",
            "environment wins. Blanks and line ends around a secret are left out; empty counts as absent. A file whose",
            "name begins with `CROSSCHECK_` and is not below, that has more than 64 kB, cannot be read or is not UTF-8",
            "ends the start with a sentence. Other files are not looked at. All are read once, at the start.",
            "",
            "| variable | meaning |",
            "|---|---|",
            *secrets,
            "",
        ]
    )


if __name__ == "__main__":
    sys.stdout.write(page())
