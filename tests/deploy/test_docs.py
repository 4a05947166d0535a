"""docs/deployment.md names what there is: files, variables, objects, paths. What it shows to be copied works."""

import json
import re
import shutil

import pytest
import yaml
from typer.main import get_command

from crosscheck.cli import app
from crosscheck.secrets_from import FOLDER
from crosscheck.settings import Secrets, Settings, variable
from evals.postgres import programs, running
from state.db import open_database
from state.errors import DatabaseUnusable
from tests.conftest import missing
from tests.deploy.files import DEPLOY, ROOT, tool
from tests.deploy.test_compose import CHOSEN
from tests.deploy.test_kubernetes import MADE_BY_HAND, SETS, SEVERAL, Manifests

PAGE = ROOT / "docs/deployment.md"
TEXT = PAGE.read_text("utf-8")


def blocks(language: str) -> list[str]:
    """What is shown in this language, at whatever depth."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```", TEXT, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{depth}", "", shown, flags=re.MULTILINE) for depth, shown in found]


PROSE = re.sub(r"^ *```.*?^ *```", "", TEXT, flags=re.MULTILINE | re.DOTALL)
IN_PROSE = [" ".join(shown.split()) for shown in re.findall(r"`([^`]+)`", PROSE)]
COMMANDS = "\n".join([*blocks("sh"), *IN_PROSE])


def test_the_files_that_it_names_are_there():
    named = set(re.findall(r"(?<![\w./])deploy/[\w./-]*[\w/]", TEXT))
    assert len(named) > 10
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
    several = set(re.findall(r"several/[\w-]+\.yaml", TEXT))
    assert [name for name in several if not (DEPLOY / "kubernetes" / name).exists()] == []


def test_its_links_lead_somewhere():
    for page, heading in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", TEXT):
        target = (PAGE.parent / page).resolve() if page else PAGE
        assert target.exists(), page
        if heading:
            headings = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", one).strip().lower().replace(" ", "-") for one in headings}
            assert heading in anchors, f"{page}#{heading}"


def test_its_variables_are_known():
    known = {variable(name) for name in Secrets.model_fields} | {FOLDER} | set(CHOSEN)
    named = set(re.findall(r"\b(?:CROSSCHECK|GRAFANA)_[A-Z_]+\b", TEXT))
    assert named <= known


@pytest.mark.parametrize(("file", "lines"), [("compose.yaml", 5), ("compose.embedded.yaml", 2)])
def test_the_lines_for_compose_are_what_compose_asks_for(file, lines):
    (shown,) = [block for block in blocks("sh") if "GRAFANA_ADMIN_PASSWORD=" in block]
    told = [line.partition("=")[0] for line in shown.splitlines()]
    files = {"compose.embedded.yaml", file}  # the one extends the other
    asked = {name for one in files for name in re.findall(r"\$\{(\w+):\?", (DEPLOY / one).read_text("utf-8"))}
    assert asked == set(told[:lines])


def test_its_commands_are_there():
    named = set(re.findall(r"(?:^|bin/|-- |--rm |exec crosscheck )crosscheck ([a-z]+)\b", COMMANDS, re.MULTILINE))
    assert named <= set(get_command(app).commands)
    assert {"serve", "doctor", "sources", "health", "backup", "restore", "init", "sync"} <= named


def test_its_settings_are_there():
    for block in blocks("toml"):
        for table in re.findall(r"^\[(\w+)\]$", block, re.MULTILINE):
            assert table in Settings.model_fields
    named = set(re.findall(r"`(serve|limits|worker)\.(\w+)`", PROSE))
    assert named
    for section, name in named:
        field = Settings.model_fields[section].annotation
        assert name in field.model_fields, f"{section}.{name}"


def test_its_objects_of_kubernetes_are_there():
    made = [manifest for name in SETS for manifest in Manifests(name).all]
    there = {(one["kind"].lower(), one["metadata"]["name"]) for one in made}
    named = set(re.findall(r"\b(deployment|statefulset)[ /](crosscheck[a-z-]*)", COMMANDS))
    assert {"deployment", "statefulset"} == {kind for kind, _ in named}
    assert named <= there
    by_hand = set(re.findall(r"create (configmap|secret generic) ([a-z-]+)", COMMANDS))
    kinds = {"configmap": "ConfigMap", "secret generic": "Secret"}
    assert {(kinds[kind], name) for kind, name in by_hand} == MADE_BY_HAND[SEVERAL]


def test_what_puts_a_pod_to_sleep_fits_the_pod():
    (shown,) = re.findall(r"--patch '(\{.*?\})'\n", TEXT, re.DOTALL)
    (patch,) = json.loads(shown)["spec"]["template"]["spec"]["containers"]
    for name in SETS:
        for workload in Manifests(name).services():
            (container,) = workload["spec"]["template"]["spec"]["containers"]
            assert container["name"] == patch["name"]
            assert {key for key, value in patch.items() if value is None} == {
                key for key in container if "Probe" in key
            }


def test_the_roles_in_its_table_are_those_of_the_manifests():
    rows = re.findall(r"^\| `(crosscheck[a-z-]*)` \| (.+?) \| (\d)", TEXT, re.MULTILINE)
    told = {name: (set(re.findall(r"`(\w+)`", roles)), int(pods)) for name, roles, pods in rows}
    there = {
        one["metadata"]["name"]: (
            set(one["spec"]["template"]["spec"]["containers"][0]["args"][2].split(",")),
            one["spec"]["replicas"],
        )
        for one in Manifests(SEVERAL).services()
    }
    assert told == there


def test_nginx_passes_on_what_the_ingress_does():
    (pattern,) = re.findall(r"location ~ (\S+) \{", TEXT)
    passed = re.compile(pattern)
    for name in SETS:
        assert Manifests(name).shown() == {"/webhooks", "/mcp", "/v1", "/console"}
    for path in ("/webhooks/jira", "/webhooks/slack", "/mcp", "/v1/search", "/console", "/console/jobs/1"):
        assert passed.search(path), path
    for path in ("/", "/health", "/metrics", "/cli/jobs", "/mcp/x", "/consoles", "/webhooks/other", "/x/v1/search"):
        assert not passed.search(path), path


def test_compose_takes_the_secrets_as_files(tmp_path):
    folder = shutil.copytree(DEPLOY, tmp_path / "deploy")
    shutil.copy(folder / "crosscheck.example.toml", folder / "crosscheck.toml")
    (folder / "crosscheck.env").touch()
    (override,) = [block for block in blocks("yaml") if FOLDER in block]
    (folder / "compose.override.yaml").write_text(override)
    files = ("--file", folder / "compose.yaml", "--file", folder / "compose.override.yaml")
    read = json.loads(tool("docker-compose", *files, "config", "--format", "json", environment=CHOSEN))
    (secret,) = yaml.safe_load(override)["secrets"]
    for name in ("crosscheck", "worker"):
        service = read["services"][name]
        assert service["environment"][FOLDER] == "/run/secrets"
        assert [one["source"] for one in service["secrets"]] == [secret]
        assert service["environment"]["CROSSCHECK_STATE_PASSWORD"]  # what was there stays
    assert read["secrets"][secret]["file"] == str(folder / "secrets" / secret)


def test_the_account_that_it_makes_is_enough_and_no_more(tmp_path):
    if (installed := programs()) is None:
        missing("PostgreSQL's server is not installed")
    (shown,) = blocks("sql")
    statements = [line for line in shown.splitlines() if not line.startswith("\\")]
    with running(installed, tmp_path, access="host all all 127.0.0.1/32 trust\n") as cluster:
        cluster.run(*statements)
        open_database(cluster.address("crosscheck", "crosscheck")).dispose()
        cluster.run("CREATE ROLE other LOGIN")
        with pytest.raises(DatabaseUnusable, match="permission denied"):
            open_database(cluster.address("crosscheck", "other"))
