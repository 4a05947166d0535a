"""Settings: documented, strict, and the secrets apart."""

import re
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from crosscheck import settings as config
from crosscheck import template
from crosscheck.errors import BadSettings
from crosscheck.needed import require
from crosscheck.wiring import Program

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
        (MINIMAL.replace('["PAY"]', '["pay me"]'), "jira.projects, entry 1"),
        (MINIMAL + '[[git]]\nname="a"\nlocation="x"\n[[git]]\nname="a"\nlocation="y"', "two sources have the name a"),
        (MINIMAL + '[[qa]]\nname="a"\nlocation="x"\ncolumns={nr="Nr"}', "a column cannot be 'nr'"),
        (MINIMAL + '[[files]]\nname="jira"\nlocation="x"', "two sources have the name jira"),
        (MINIMAL + '[[qa]]\nname="a"\nlocation="x"\n[[files]]\nname="a"\nlocation="x"', "two sources have the name a"),
        (MINIMAL + '[[git]]\nname="../a"\nlocation="x"', "git, entry 1, name"),
        ("posting = maybe", "cannot be read"),
        ("posting = " + "9" * 5_000, "cannot be read"),
        ("posting = " + "[" * 5_000, "cannot be read"),
        ('[index]\nengine = "server"', "needs `url`"),
        ('[index]\nengine = "server"\nurl = "https://me:sesame@example.org"', "`url` holds a password"),
        ('[index]\nengine = "cluster"', "index.engine"),
        ("[index]\nreplicas = 1\nwrite_consistency = 2", "write_consistency is 2, but there are 1 replicas"),
        ("[search]\nplaces = { tickets = 2 }", "search.places.tickets"),
        ('[[reranking.models]]\nkind = "bge"', "reranking.models, entry 1, path"),
        ('[[reranking.models]]\nkind = "big"\npath = "x"', "reranking.models, entry 1, kind"),
        (
            'gpu.patience = 9\n[[reranking.models]]\nkind = "bge"\npath = "x"',
            "gpu.patience must be less than reranking.seconds",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, says):
    with pytest.raises(BadSettings, match=says):
        config.load(written(tmp_path, text))


NOT_AN_ID = "booking-dev is a name; the id (C0123...) is at the end of the channel's About tab"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('channels = { booking-dev = ["jira:PAY"] }', f"slack.channels.booking-dev: {NOT_AN_ID}"),
        ('channels = { "#booking-dev" = ["jira:PAY"] }', f"slack.channels.#booking-dev: #{NOT_AN_ID}"),
        ('outside = ["booking-dev"]', f"slack.outside, entry 1: {NOT_AN_ID}"),
        ('follow_ups = ["booking-dev"]', f"slack.follow_ups, entry 1: {NOT_AN_ID}"),
        ('follow_ups = ["U0ABC"]', "slack.follow_ups, entry 1: U0ABC is a person; the id (C0123...)"),
        ('outside = ["C0ABC\\n"]', "slack.outside, entry 1: C0ABC is a name"),
        ('follow_ups = "C0ABC"', "slack.follow_ups: must be a list in [ ]"),
        ('channels = { C0ABC = "jira:PAY" }', "slack.channels.C0ABC: must be a list in [ ]"),
        ("channels = { C0ABC = [1] }", 'slack.channels.C0ABC, entry 1: must be a text in quotes " "'),
        ('channels = ["C0ABC"]', "slack.channels: must be a table, in [ ] on a line of its own or in { }"),
        ('folow_ups = ["C0ABC"]', "slack.folow_ups: there is no such setting; did you mean follow_ups?"),
        ("quite_different = 1", "slack.quite_different: there is no such setting"),
        (
            'bot_token = "xoxb-s3cret"',
            "slack.bot_token: there is no such setting; a secret belongs into the environment",
        ),
        ('mode = "websocket"', "slack.mode: must be 'socket' or 'http'"),
        *(
            (f'site = "{site}"', "slack.site: must be an address without a path, such as https://slack.com")
            for site in ("slack.com", "ftp://slack.com", "https://slack.com/api", "https://me:s3cret@slack.com", "")
        ),
    ],
)
def test_what_is_wrong_with_slack_is_a_sentence(tmp_path, text, says):
    with pytest.raises(BadSettings) as raised:
        config.load(written(tmp_path, f"{MINIMAL}[slack]\n{text}"))
    (line,) = str(raised.value).splitlines()[1:]
    assert line.startswith(f"  {says}")
    assert "s3cret" not in line


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("postin = true\n" + MINIMAL, "postin: there is no such setting; did you mean posting?"),
        ("[slak]\n", "slak: there is no such setting; did you mean slack?"),
        (MINIMAL.replace('["PAY"]', '["pay"]'), "jira.projects, entry 1: 'pay' cannot be one; did you mean PAY?"),
        (MINIMAL.replace('["PAY"]', '"PAY"'), "jira.projects: must be a list in [ ]"),
        (MINIMAL.replace("site", "#"), "jira.site: must be set"),
        (MINIMAL.replace("read_user", "#"), "jira: read_user must be set: example.atlassian.net is Cloud"),
        (MINIMAL.replace('"PAY"', '"PAY", "bkg"'), "jira.projects, entry 2: 'bkg' cannot be one; did you mean BKG?"),
        (
            MINIMAL.replace("PAY", "BKG,desk"),
            """jira.projects, entry 1: 'BKG,desk' cannot be one; one key each: ["BKG", "DESK"]""",
        ),
        (
            MINIMAL.replace("PAY", "p-1"),
            "jira.projects, entry 1: 'p-1' cannot be one; a key is capital letters and digits",
        ),
        (MINIMAL.replace("https://ex", "ex"), "jira.site: must begin with https://, e.g. https://NAME.atlassian.net"),
        (MINIMAL.replace("https://ex", "https://me:s3cret@ex"), "jira.site: must be an address of a site alone"),
        (MINIMAL.replace('/"', '/?a=b"'), "jira.site: must be an address of a site alone"),
        (MINIMAL + '[commands]\nask = ["#ask"]', "commands.ask, entry 1: '#ask': leave out the #, write 'ask'"),
        (
            MINIMAL + '[commands]\nask = ["the bot"]',
            "commands.ask, entry 1: 'the bot' cannot be one: letters and digits, in",
        ),
        (MINIMAL + '[commands]\nask = ["qa", "QA"]', "commands: #qa is written twice"),
        (MINIMAL + '[commands]\nqueue = "ten"', "commands.queue: must be a whole number"),
        (MINIMAL + "[commands]\nqueue = 1.5", "commands.queue: must be a whole number"),
        (MINIMAL + '[commands]\ncooldown_minutes = "x"', "commands.cooldown_minutes: must be a number"),
        ('posting = "perhaps"\n' + MINIMAL, "posting: must be true or false"),
        (MINIMAL + '[commands]\nask = ["qa-check"]', "commands: #qa-check would ask for two things"),
        ('[git]\nname = "a"\nlocation = "x"', "git: must be tables in [[ ]]"),
        (
            '[[git]]\nname = "a"\nlocation = "x"\nbranche = "x"',
            "git, entry 1, branche: there is no such setting; did you mean",
        ),
        ('[[jira]]\nsite = "x"', "jira: must be a table"),
        ('[[git]]\nname="a"\nlocation="x"\n[[git]]\nname="a"\nlocation="y"', "two sources have the name a"),
        ("[serve]\nport = 70000", "serve.port: must be less than or equal to 65535"),
    ],
)
def test_so_it_is_with_all_others(tmp_path, text, says):
    with pytest.raises(BadSettings) as raised:
        config.load(written(tmp_path, text))
    (line,) = str(raised.value).splitlines()[1:]
    assert line.startswith(f"  {says}")


WIKI = """
[confluence]
spaces = ["DOCS"]
"""


@pytest.mark.parametrize("site", ["https://example.atlassian.net/wiki/", "https://example.atlassian.net"])
def test_cloud_adds_wiki_itself(tmp_path, site):
    settings = config.load(written(tmp_path, f'{WIKI}site = "{site}"\nuser = "r@example.com"'))
    assert settings.confluence is not None
    assert settings.confluence.site == "https://example.atlassian.net"


def test_a_data_center_may_be_below_wiki(tmp_path):
    settings = config.load(written(tmp_path, f'{WIKI}site = "https://acme.example/wiki"'))
    assert settings.confluence is not None
    assert settings.confluence.site == "https://acme.example/wiki"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('site = "acme.example"', "confluence.site: must begin with https://"),
        ('site = "https://acme.example/wiki"\nuser = "r@x.example"', "confluence: leave /wiki off site"),
        (
            'site = "https://acme.example"\nuser = "r@x.example"\nanswers = true',
            "confluence: post_user must be set, or answers be false",
        ),
        (
            'site = "https://acme.example"\npost_user = "p@x.example"\nanswers = true',
            "confluence: user must be set, or post_user left out",
        ),
    ],
)
def test_what_is_wrong_with_confluence_is_a_sentence(tmp_path, text, says):
    with pytest.raises(BadSettings) as raised:
        config.load(written(tmp_path, WIKI + text))
    (line,) = str(raised.value).splitlines()[1:]
    assert line.startswith(f"  {says}")


def test_what_labels_look_like_is_told_wherever_settings_are():
    assert config.LABELS in template.page()
    assert config.LABELS in template.starter()


def test_it_is_told_which_secrets_are_needed():
    needed = {name for name, field in config.Secrets.model_fields.items() if "Needed" in str(field.description)}
    assert needed == {"jira_read_token", "jira_post_token", "confluence_token", "confluence_post_token"}


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


def test_blanks_around_a_secret_do_not_count():
    named = {"CROSSCHECK_SLACK_BOT_TOKEN": " xoxb-1\n", "CROSSCHECK_HOST_TOKEN_GITHUB": "\tt-1 "}
    secrets = config.Secrets.from_environment({**named, "CROSSCHECK_MODEL_API_KEY": " \n"})
    assert secrets.need("slack_bot_token") == "xoxb-1"
    assert secrets.host_token("github") == "t-1"
    assert secrets.model_api_key is None


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("slack_bot_token", "xapp-1-s3cret", "holds an app-level token (xapp-); it takes the Bot User OAuth Token"),
        ("slack_bot_token", "xoxp-s3cret", "holds a person's token (xoxp-); it takes"),
        ("slack_app_token", "xoxb-s3cret", "holds a bot's token (xoxb-); it takes the app-level token, which begins"),
        ("slack_bot_token", "s3cret", "holds what cannot be one; it takes"),
        ("slack_bot_token", "xoxb-", "holds what cannot be one; it takes"),
        ("slack_bot_token", "xoxb-s3\ncret", "holds what cannot be one; it takes"),
        ("slack_app_token", "xapp-s3cret-ü", "holds what cannot be one; it takes"),
        ("slack_signing_secret", "xoxb-s3cret", "holds a bot's token (xoxb-); it takes the Signing Secret"),
    ],
)
def test_a_secret_that_cannot_be_one_is_named_and_not_shown(name, value, says):
    secrets = config.Secrets.from_environment({config.variable(name): value})
    with pytest.raises(BadSettings) as raised:
        secrets.need(name)
    assert str(raised.value).startswith(f"{config.variable(name)} {says}")
    assert "s3" not in str(raised.value)


ALL = """
[slack]
mode = "http"
[confluence]
site = "https://example.atlassian.net"
user = "r@example.com"
spaces = ["DOCS"]
[model]
name = "anthropic:some"
[model.fallback]
name = "openai:some"
base_url = "http://127.0.0.1:9"
"""


def test_all_missing_secrets_are_named_at_once(tmp_path):
    settings = config.load(written(tmp_path, MINIMAL + HOST + REPOSITORY + ALL))
    secrets = config.Secrets.from_environment({"CROSSCHECK_SLACK_BOT_TOKEN": "xapp-s3cret"})
    with pytest.raises(BadSettings) as raised:
        require(settings, secrets)
    said = str(raised.value)
    assert re.findall(r"(?m)^  CROSSCHECK_(\w+)", said) == [
        "JIRA_READ_TOKEN",
        "JIRA_POST_TOKEN",
        "SLACK_BOT_TOKEN",
        "SLACK_SIGNING_SECRET",
        "CONFLUENCE_TOKEN",
        "MODEL_API_KEY",
        "HOST_TOKEN_GITHUB",
    ]
    assert "CROSSCHECK_JIRA_READ_TOKEN is not set: API token of jira.read_user." in said
    assert said.endswith("`crosscheck doctor` checks them.")
    assert "s3cret" not in said


def test_with_all_secrets_nothing_is_missing(tmp_path):
    named = {"JIRA_READ_TOKEN": "1", "JIRA_POST_TOKEN": "2", "SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}
    secrets = config.Secrets.from_environment({f"CROSSCHECK_{name}": value for name, value in named.items()})
    settings = config.load(written(tmp_path, MINIMAL + HOST + "[slack]\n"))
    require(settings, secrets)
    with pytest.raises(BadSettings, match="SLACK_APP_TOKEN is not set: Token of the Slack app itself"):
        require(settings, secrets.model_copy(update={"slack_app_token": None}))


def test_serving_looks_at_them_first(tmp_path):
    settings = config.load(written(tmp_path, MINIMAL))
    with closing(Program(settings, config.Secrets())) as program, pytest.raises(BadSettings) as raised:
        program.prepare()
    assert "CROSSCHECK_JIRA_READ_TOKEN" in str(raised.value)
    assert "CROSSCHECK_JIRA_POST_TOKEN" in str(raised.value)


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
