"""Settings: documented, strict, and the secrets apart."""

import tomllib
from pathlib import Path

import pytest

from crosscheck import settings as config
from crosscheck import template
from crosscheck.errors import BadSettings

ROOT = Path(__file__).resolve().parents[2]

MINIMAL = """
[jira]
site = "https://example.atlassian.net/"
read_user = "r@example.com"
post_user = "p@example.com"
projects = ["PAY"]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / config.FILE
    path.write_text(text, "utf-8")
    return path


def test_every_setting_is_documented():
    assert (ROOT / "docs/settings.md").read_text("utf-8") == template.page()


def test_every_setting_has_a_description():
    assert all(description for _, _, description in config.described())


def test_the_starter_file_is_valid_as_written(tmp_path):
    settings = config.load(written(tmp_path, template.starter()))
    assert settings.jira is not None
    assert settings.jira.projects == ("PROJ",)


def test_the_starter_file_is_valid_with_every_line_in_force(tmp_path):
    lines = template.starter().splitlines()
    named = ("[", *(name.rpartition(".")[2] + " =" for name, _, _ in config.described()), '"jira:PROJ"', "org =")
    in_force = [line.removeprefix("# ") if line.removeprefix("# ").startswith(named) else line for line in lines]
    text = "\n".join(line for line in in_force if not line.rstrip().endswith("="))
    assert tomllib.loads(text)["git"][0]["name"] == "backend"
    assert config.load(written(tmp_path, text)).audience.holders["org"]


def test_paths_are_relative_to_the_file(tmp_path):
    settings = config.load(written(tmp_path, 'data = "here"\n' + MINIMAL))
    assert settings.data == tmp_path / "here"


def test_the_paths_of_models_and_of_the_lock_are_too(tmp_path, monkeypatch):
    models = '[[reranking.models]]\nkind = "bge"\npath = "m"\n'
    settings = config.load(written(tmp_path, MINIMAL + models + '[gpu]\nlock = "run/gpu.lock"'))
    assert settings.reranking.models[0].path == str(tmp_path / "m")
    assert settings.gpu.lock == tmp_path / "run/gpu.lock"
    monkeypatch.setenv("HOME", "/home/somebody")
    assert str(config.load(written(tmp_path, MINIMAL)).gpu.lock).startswith("/home/somebody/")


def test_a_trailing_slash_of_the_site_is_dropped(tmp_path):
    settings = config.load(written(tmp_path, MINIMAL))
    assert settings.jira is not None
    assert settings.jira.site == "https://example.atlassian.net"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("postin = true\n" + MINIMAL, "postin"),
        (MINIMAL.replace('["PAY"]', '["pay me"]'), "jira.projects.0"),
        (MINIMAL + '[[git]]\nname="a"\nlocation="x"\n[[git]]\nname="a"\nlocation="y"', "two sources have the name a"),
        (MINIMAL + '[[qa]]\nname="a"\nlocation="x"\ncolumns={nr="Nr"}', "a column cannot be 'nr'"),
        (MINIMAL + '[[files]]\nname="jira"\nlocation="x"', "two sources have the name jira"),
        (MINIMAL + '[[qa]]\nname="a"\nlocation="x"\n[[files]]\nname="a"\nlocation="x"', "two sources have the name a"),
        (MINIMAL + '[[git]]\nname="../a"\nlocation="x"', "git.0.name"),
        ("posting = maybe", "cannot be read"),
        ('[index]\nengine = "server"', "needs `url`"),
        ('[index]\nengine = "server"\nurl = "https://me:sesame@example.org"', "`url` holds a password"),
        ('[index]\nengine = "cluster"', "index.engine"),
        ("[index]\nreplicas = 1\nwrite_consistency = 2", "write_consistency is 2, but there are 1 replicas"),
        ("[search]\nplaces = { tickets = 2 }", "search.places.tickets"),
        ('[[reranking.models]]\nkind = "bge"', "reranking.models.0.path"),
        ('[[reranking.models]]\nkind = "big"\npath = "x"', "reranking.models.0.kind"),
        (
            'gpu.patience = 9\n[[reranking.models]]\nkind = "bge"\npath = "x"',
            "gpu.patience must be less than reranking.seconds",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, says):
    with pytest.raises(BadSettings, match=says):
        config.load(written(tmp_path, text))


def test_a_missing_file_says_what_to_run(tmp_path):
    with pytest.raises(BadSettings, match="crosscheck init"):
        config.load(tmp_path / config.FILE)


def test_secrets_come_from_the_environment_and_do_not_print():
    secrets = config.Secrets.from_environment({"CROSSCHECK_JIRA_READ_TOKEN": "s3cret", "CROSSCHECK_MODEL_API_KEY": ""})
    assert secrets.need("jira_read_token") == "s3cret"
    assert "s3cret" not in repr(secrets)
    assert "s3cret" not in secrets.model_dump_json()
    with pytest.raises(BadSettings, match="CROSSCHECK_MODEL_API_KEY"):
        secrets.need("model_api_key")


HOST = '[[hosts]]\nname = "github"\nkind = "github"\nurl = "https://github.com/"\n'
REPOSITORY = '[[git]]\nname = "backend"\nlocation = "/srv/backend"\nhost = "github"\nproject = "acme/backend"\n'


def test_a_repository_names_its_host(tmp_path):
    settings = config.load(written(tmp_path, MINIMAL + HOST + REPOSITORY))
    assert settings.hosts[0].url == "https://github.com"
    assert settings.git[0].project == "acme/backend"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (REPOSITORY, "no [[hosts]] table with the name 'github'"),
        (HOST + REPOSITORY.replace('project = "acme/backend"\n', ""), "host and project go together"),
        (HOST + HOST, "two hosts have the name github"),
        ('[[agents]]\nname = "code"\nkind = "code"\nabout = "Looks at payments."', "two agents have the name code"),
    ],
)
def test_hosts_and_agents_that_do_not_fit_are_refused(tmp_path, text, said):
    with pytest.raises(BadSettings, match=said.replace("[", r"\[").replace("]", r"\]")):
        config.load(written(tmp_path, MINIMAL + text))


def test_the_tokens_of_hosts_come_by_their_names():
    secrets = config.Secrets.from_environment({"CROSSCHECK_HOST_TOKEN_GITHUB": "t-1", "CROSSCHECK_HOST_TOKEN_OWN": ""})
    assert (secrets.host_token("github"), secrets.host_token("own"), secrets.host_token("none")) == ("t-1", "", "")
    assert "t-1" not in repr(secrets)
