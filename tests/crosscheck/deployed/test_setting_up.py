"""What the page tells administrators to set up is enough, and not more than is needed."""

import re
import tomllib

import psycopg
import pytest
import yaml
from pydantic import SecretStr

from crosscheck import settings as config
from crosscheck.wiring import Program
from tests.core.probes.certificates import Authority
from tests.crosscheck.deployed.making import ASKED
from tests.crosscheck.deployed.page import PAGE
from tests.crosscheck.deployed.stage import NOW

BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
TOML = [text for language, text in BLOCKS if language == "toml"]
HISTORY = """
CREATE TABLE flyway_schema_history (installed_rank INT, version TEXT, description TEXT, type TEXT, script TEXT,
    checksum INT, installed_by TEXT, installed_on TIMESTAMP DEFAULT now(), execution_time INT, success BOOLEAN)
"""


@pytest.mark.parametrize(
    "text", TOML, ids=[tomllib.loads(text).popitem()[1][0].get("kind", "database") for text in TOML]
)
def test_every_snippet_is_valid(tmp_path, text):
    file = tmp_path / config.FILE
    known = text.replace("/etc/crosscheck/cluster-ca.pem", Authority(tmp_path).file)
    file.write_text(f'[[git]]\nname = "booking-api"\nlocation = "."\n{known}', "utf-8")
    settings = config.load(file)
    secrets = config.Secrets(probe_tokens={probe.name: SecretStr("token") for probe in settings.probes})
    program = Program(settings, secrets)
    assert len(program.probes) + len(program.settings.databases) == 1
    assert (program.schema_histories is not None) == bool(program.settings.databases)


def test_a_role_of_kubernetes_allows_what_is_asked_and_no_more(company):
    role = next(yaml.safe_load_all(next(text for language, text in BLOCKS if language == "yaml")))
    allowed = {(verb, rule["resources"][0], rule["apiGroups"][0]) for rule in role["rules"] for verb in rule["verbs"]}
    with company.stage("kubernetes") as stage:
        stage.probe()
        assert stage.ask(**ASKED).there == ("yes",)
    asked = set()
    for exchange in company.box.exchanges.all("kubernetes"):
        api, _, resource = exchange.path.partition("/namespaces/staging/")
        name, _, one = resource.partition("/")
        asked.add(("get" if one else "list", name, "apps" if "/apps/" in api else ""))
    assert asked == allowed


def test_grants_in_postgresql_are_enough_and_open_nothing_else(company, postgres):
    database, grants = postgres.database(), next(text for language, text in BLOCKS if language == "sql")
    password = re.search("PASSWORD '(.*)'", grants)[1]
    postgres.run(database, HISTORY, "CREATE TABLE account (id INT)", *filter(str.strip, grants.split(";")))
    admit(postgres, "crosscheck")
    address = postgres.address(database, "crosscheck")
    with company.stage() as stage:
        stage.database(url=address, password=password)
        assert stage.history().states == ("pending",) * 3
    with psycopg.connect(address, password=password) as connection:
        for statement in ("SELECT * FROM account", "DELETE FROM flyway_schema_history", "CREATE TABLE mine (id INT)"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
            connection.rollback()


def admit(postgres, role):
    """Let a role in from this machine, with its password."""
    with postgres.engine("postgres").connect() as connection:
        file = connection.exec_driver_sql("SHOW hba_file").scalar_one()
    line = f"host all {role} 127.0.0.1/32 scram-sha-256"
    postgres.run("postgres", f"COPY (SELECT '{line}') TO PROGRAM 'cat >> {file}'", "SELECT pg_reload_conf()")


def test_the_times_of_the_tables_are_those_of_the_page():
    assert f"as read on {NOW:%Y-%m-%d %H:%M} UTC" in PAGE.read_text("utf-8")
