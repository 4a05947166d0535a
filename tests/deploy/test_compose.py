"""Docker's own reader takes the compose files, and what it makes of them keeps the promises of docs/deployment.md."""

import json
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from crosscheck.roles import ALL, check, chosen
from crosscheck.settings import load
from tests.deploy.files import DEPLOY, PINNED, ROOT, tool

CHOSEN = {
    "CROSSCHECK_VERSION": "0.1.0",
    "GRAFANA_ADMIN_PASSWORD": "made-up-for-grafana",
    "CROSSCHECK_QDRANT_API_KEY": "made-up-for-qdrant",
    "CROSSCHECK_STATE_PASSWORD": "made-up-for-postgres",
    "CROSSCHECK_METRICS_TOKEN": "made-up-for-prometheus",
}
FILES = {
    "compose.yaml": {"crosscheck", "worker", "postgres", "qdrant", "prometheus", "grafana"},
    "compose.embedded.yaml": {"crosscheck", "prometheus", "grafana"},
}

OF_CROSSCHECK = ("jira", "qdrant", "postgres", "prometheus")
NEEDED = {
    "compose.yaml": {
        "crosscheck": OF_CROSSCHECK,
        "worker": OF_CROSSCHECK,
        "qdrant": ("qdrant",),
        "postgres": ("postgres",),
        "grafana": ("grafana",),
    },
    "compose.embedded.yaml": {"crosscheck": ("jira",), "grafana": ("grafana",)},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """As an operator has it: the files, and beside them the own settings and secrets."""
    made = tmp_path_factory.mktemp("compose") / "deploy"
    shutil.copytree(DEPLOY, made)
    shutil.copy(made / "crosscheck.example.toml", made / "crosscheck.toml")
    (made / "crosscheck.env").write_text("CROSSCHECK_JIRA_READ_TOKEN=made-up-for-jira\n")
    return made


@pytest.fixture(scope="module", params=FILES)
def project(request, folder):
    read = tool("docker-compose", "--file", folder / request.param, "config", "--format", "json", environment=CHOSEN)
    return request.param, json.loads(read)


def test_the_schema_accepts_it_and_the_services_are_there(project):
    name, read = project
    assert set(read["services"]) == FILES[name]


def test_no_service_may_do_more_than_it_must(project):
    for name, service in project[1]["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert not {"privileged", "cap_add", "pid", "ipc", "devices"} & set(service), name
        assert service.get("network_mode") in {None, "service:crosscheck"}, name
        assert "mem_limit" in service, name


def test_ports_are_open_to_this_host_alone(project):
    ports = {name: service.get("ports", []) for name, service in project[1]["services"].items()}
    assert {port["host_ip"] for several in ports.values() for port in several} == {"127.0.0.1"}
    assert ports.get("qdrant", []) == []


def test_images_are_pinned(project):
    for service in project[1]["services"].values():
        assert re.fullmatch(PINNED, service["image"]), service["image"]


def test_what_is_mounted_is_in_the_repository_and_cannot_be_written(project, folder):
    own = {folder / "crosscheck.toml"}
    for service in project[1]["services"].values():
        for mount in service.get("volumes", ()):
            if mount["type"] == "bind":
                source = Path(mount["source"])
                assert mount["read_only"]
                assert source in own or (DEPLOY / source.relative_to(folder)).exists(), source


def test_secrets_reach_those_who_need_them_alone(project):
    for name, service in project[1]["services"].items():
        given = {value for value in service.get("environment", {}).values() if str(value).startswith("made-up")}
        assert given == {f"made-up-for-{one}" for one in NEEDED[project[0]].get(name, ())}, name
    told = project[1].get("secrets", {})  # Prometheus reads it as a file
    assert {name: one["environment"] for name, one in told.items()} == (
        {"metrics_token": "CROSSCHECK_METRICS_TOKEN"} if project[0] == "compose.yaml" else {}
    )


def test_the_image_is_built_from_the_repository(project, folder):
    build = project[1]["services"]["crosscheck"]["build"]
    assert Path(build["context"]) == folder.parent
    assert (ROOT / build["dockerfile"]).is_file()


@pytest.fixture(scope="module")
def several(folder):
    path = folder / "compose.yaml"
    return json.loads(tool("docker-compose", "--file", path, "config", "--format", "json", environment=CHOSEN))


@pytest.mark.parametrize(("network", "server"), [("index", "qdrant"), ("state", "postgres")])
def test_the_servers_are_reached_by_crosscheck_alone(several, network, server):
    joined = {name for name, service in several["services"].items() if network in (service.get("networks") or ())}
    assert joined == {"crosscheck", "worker", server}
    assert several["networks"][network]["internal"] is True


def test_between_them_the_processes_have_every_role_once(several):
    commands = [several["services"][name]["command"] for name in ("crosscheck", "worker")]
    assert [command[:2] for command in commands] == [["serve", "--roles"]] * 2
    roles = [chosen(command[2]) for command in commands]
    assert roles[0] | roles[1] == ALL
    assert not roles[0] & roles[1]


def test_the_example_s_settings_fit_what_is_beside_it(several, folder):
    settings = load(folder / "crosscheck.toml")
    check(settings, {"work"})
    state, index = urlsplit(settings.state.url), urlsplit(settings.index.url or "")
    database = several["services"]["postgres"]["environment"]
    assert (state.hostname, state.username, state.path) == ("postgres", database["POSTGRES_USER"], "/crosscheck")
    assert database["POSTGRES_DB"] == "crosscheck"
    assert index.hostname == "qdrant"
    for name in ("crosscheck", "worker"):
        service = several["services"][name]
        mounted = {mount["target"]: mount["source"] for mount in service["volumes"]}
        assert mounted[str(settings.mirrors)] == "mirrors"
        written = {*mounted, *(place.partition(":")[0] for place in service["tmpfs"])}
        assert any(settings.data.is_relative_to(place) for place in written)
    assert f"{settings.mirrors}" in (DEPLOY / "Dockerfile").read_text("utf-8")  # else the volume would be root's


def test_several_are_scraped_by_their_names(several):
    scraped = yaml.safe_load((DEPLOY / "prometheus/several.yml").read_text("utf-8"))["scrape_configs"]
    (found,) = scraped[0]["dns_sd_configs"]
    assert set(found["names"]) == {"crosscheck", "worker"}
    (secret,) = several["services"]["prometheus"]["secrets"]
    assert scraped[0]["authorization"]["credentials_file"] == f"/run/secrets/{secret['source']}"
    assert "--config.file=/etc/prometheus/several.yml" in several["services"]["prometheus"]["command"]


def test_prometheus_and_grafana_reach_what_their_settings_name(project):
    """Prometheus scrapes loopback, which is the service's since it stands in its network."""
    services = project[1]["services"]
    scraped = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text("utf-8"))["scrape_configs"]
    (target,) = [target for job in scraped for static in job["static_configs"] for target in static["targets"]]
    assert target == "127.0.0.1:8765"
    assert services["prometheus"]["network_mode"] == "service:crosscheck"
    assert services["grafana"]["environment"]["PROMETHEUS_URL"] == "http://crosscheck:9090"
    provided = yaml.safe_load((DEPLOY / "grafana/provisioning/dashboards/crosscheck.yml").read_text("utf-8"))
    mounted = {mount["target"] for mount in services["grafana"]["volumes"]}
    assert {provider["options"]["path"] for provider in provided["providers"]} <= mounted
