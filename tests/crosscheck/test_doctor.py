"""`crosscheck doctor`: what is wrong is found, told with what to do about it, and nothing secret is printed."""

import json
import os
import re

import pytest
from pydantic import SecretStr

from bots.slack.scopes import SCOPES
from crosscheck.doctor import examine
from crosscheck.doctor_slack import slack_checks
from crosscheck.labels import strange
from crosscheck.owner import announced, owning
from crosscheck.settings import Audience
from crosscheck.settings_slack import Slack
from crosscheck.wiring import Program
from sandbox.load import load_company
from sandbox.model_replies import Fails
from sandbox.records import Channel
from tests.crosscheck.commands import Commands
from tests.crosscheck.live import opened


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with opened(load_company(), tmp_path_factory.mktemp("doctor")) as done:
        yield done


@pytest.fixture
def doctor(made, capsys, monkeypatch, tmp_path):
    """Runs it on the company's settings after replacements in the file, and in the environment; checks by name."""

    def run(*changes, code, as_text=False, **environment):
        text = made.file.read_text()
        for before, after in changes:
            assert re.search(before, text), before
            text = re.sub(before, lambda _match, after=after: after, text)
        file = made.file.with_name("changed.toml")
        file.write_text(text)
        secrets = {**made.environment, **environment}
        commands = Commands(capsys, monkeypatch, file, secrets)
        done = commands("doctor", "--json")
        assert done.code == code, done
        found = {check["check"]: check for check in done.json}
        readable = commands("doctor") if as_text else None
        for said in (done, readable):
            if said:
                assert not [value for value in secrets.values() if value and value in said.out + said.err]
                assert "Traceback" not in said.err
        for check in found.values():
            if check["state"] != "ok":
                assert check["do"] or re.search(r"\b(Set|stop|Run|Free)\b", check["says"]), check
        return found

    yield run
    made.box.faults.clear()


def one_project(key="BKG"):
    return (r"projects = \[.*\]", f'projects = ["{key}"]')


def without_sources():
    """Jira alone, for what takes time to fail."""
    return (r"(?s)\[confluence\].*(?=\[review\])", "")


def states(found, state):
    return {name for name, check in found.items() if check["state"] == state} - {"disk"}


def test_all_is_fine(doctor):
    found = doctor(code=0, as_text=True)
    assert states(found, "ok") == set(found) - {"disk"}
    assert {"database", "index", "jira read BKG", "jira post DESK", "jira webhook", "confluence", "gate-app"} <= set(
        found
    )
    assert found["jira read GATE"]["says"].endswith("tickets can be read")


def test_pull_requests_of_each_repository_are_looked_at(doctor):
    found = doctor(code=0)
    assert found["pull requests booking-api"]["state"] == found["pull requests gate-app"]["state"] == "ok"


def test_a_wrong_token_of_a_host(doctor):
    found = doctor(one_project(), code=1, CROSSCHECK_HOST_TOKEN_GITHUB="wrong")
    assert states(found, "failed") == {"pull requests booking-api", "pull requests gate-app"}
    assert "CROSSCHECK_HOST_TOKEN_GITHUB" in found["pull requests gate-app"]["do"]


def test_a_wrong_reading_token(doctor):
    found = doctor(one_project(), code=1, as_text=True, CROSSCHECK_JIRA_READ_TOKEN="wrong-token")
    assert states(found, "failed") == {"jira read BKG"}
    says = "Jira does not accept jira.read_user with CROSSCHECK_JIRA_READ_TOKEN (401)."
    assert (found["jira read BKG"]["says"], found["jira read BKG"]["do"]) == (says, "Check both.")
    assert found["confluence"]["state"] == "ok"


def test_a_wrong_posting_token(doctor):
    found = doctor(one_project(), code=1, CROSSCHECK_JIRA_POST_TOKEN="wrong-token")
    assert states(found, "failed") == {"jira post BKG"}
    says = "Jira does not accept jira.post_user with CROSSCHECK_JIRA_POST_TOKEN (401)."
    assert (found["jira post BKG"]["says"], found["jira post BKG"]["do"]) == (says, "Check both.")


def test_a_wrong_token_is_said_once_and_not_for_each_project(doctor):
    found = doctor(code=1, CROSSCHECK_JIRA_POST_TOKEN="wrong-token")
    assert len([name for name in found if name.startswith("jira post ")]) == 1


def test_a_cloud_account_that_was_left_out(doctor):
    found = doctor(one_project(), (r'read_user = ".*"\n', ""), code=1)
    assert found["jira read BKG"]["says"] == "Jira does not accept CROSSCHECK_JIRA_READ_TOKEN (401)."
    assert "on Cloud, set jira.read_user to the account's e-mail address" in found["jira read BKG"]["do"]


def test_a_cloud_that_is_taken_for_a_data_center(doctor):
    found = doctor(one_project(), (r'(?m)^user = ".*"\n', ""), (r'post_user = ".*"\n\[\[', "[["), code=1)
    assert states(found, "failed") == {"confluence", "confluence post"}
    for name, setting in (("confluence", "user"), ("confluence post", "post_user")):
        assert f"Without confluence.{setting} it is taken for a Data Center" in found[name]["do"]


def test_a_data_center_that_is_taken_for_cloud(doctor, made):
    site = ('(?s)(confluence\\]\nsite = )".*?"', f'confluence]\nsite = "{made.box.confluence_data_center_url}"')
    found = doctor(one_project(), site, code=1)
    assert states(found, "failed") == {"confluence", "confluence post"}
    assert "With confluence.post_user it is taken for Cloud" in found["confluence post"]["do"]


def test_a_missing_permission_and_equal_tokens(doctor, made):
    change = (r'post_user = ".*"\nprojects', f'post_user = "{made.box.read_user}"\nprojects')
    found = doctor(one_project(), change, code=1, CROSSCHECK_JIRA_POST_TOKEN=made.box.read_token)
    assert states(found, "failed") == {"jira post BKG"}
    lacking = "Add Comments, Delete Own Comments, Create Attachments, Delete Own Attachments"
    assert found["jira post BKG"]["says"] == f"The posting account lacks {lacking} in BKG."
    assert "Give jira.post_user these permissions" in found["jira post BKG"]["do"]
    assert found["jira tokens"]["state"] == "warning"


def test_a_missing_project_and_a_missing_space(doctor):
    found = doctor(one_project("NOPE"), ("spaces = .*", 'spaces = ["POL", "void"]'), code=1)
    assert states(found, "failed") == {"jira read NOPE", "jira post NOPE", "confluence", "confluence post void"}
    assert "NOPE" in found["jira read NOPE"]["says"] + found["jira read NOPE"]["do"]
    assert "the space void" in found["confluence"]["says"]
    assert "keys are mostly in capitals, as VOID" in found["confluence"]["do"]
    assert found["confluence post void"]["says"] == "The posting account lacks View the space in void."


def test_an_account_that_may_not_comment_in_a_space(doctor, made):
    box, space = made.box, made.settings.confluence.spaces[0]
    box.confluence.silence(space, box.confluence.accounts.bot.id)
    try:
        found = doctor(one_project(), code=1)
    finally:
        box.confluence.allow(space, box.confluence.accounts.bot.id)
    assert states(found, "failed") == {f"confluence post {space}"}
    assert found[f"confluence post {space}"]["says"] == f"The posting account lacks Add comments in {space}."
    assert "Give confluence.post_user these permissions" in found[f"confluence post {space}"]["do"]
    assert found["confluence post"]["says"] == f"signed in as {box.confluence.accounts.bot.name}"


def commands(**lists):
    table = "\n".join(f"{name} = {json.dumps(values)}" for name, values in lists.items())
    return (r"\[review\]", f"[commands]\n{table}\n[review]")


def test_roles_alone_let_nobody_ask_on_pages(doctor):
    found = doctor(one_project(), commands(roles=["Product owners"]), code=0)
    assert states(found, "warning") >= {"confluence commands"}
    assert "nobody can ask on pages" in found["confluence commands"]["says"]
    assert "commands.groups" in found["confluence commands"]["do"]
    quiet = doctor(one_project(), commands(roles=["Product owners"]), ("answers = true", "answers = false"), code=0)
    assert "confluence commands" not in quiet


def test_a_group_that_is_not_there(doctor, made):
    known = made.box.confluence.accounts.groups[0]
    found = doctor(one_project(), commands(groups=[known, "nobody-here"]), code=1)
    assert states(found, "failed") == {"confluence commands"}
    assert found["confluence commands"]["says"] == "commands.groups: Confluence has no group nobody-here."
    found = doctor(one_project(), commands(groups=[known.upper()]), code=0)
    assert found["confluence commands"]["state"] == found["jira commands"]["state"] == "ok"


def test_an_account_that_may_not_look_up_groups_in_jira(doctor, made):
    made.box.faults.add("GET", "/user/groups", "status", 1000, status=403)
    found = doctor(one_project(), commands(groups=[made.box.confluence.accounts.groups[0]]), code=1)
    assert states(found, "failed") == {"jira commands"}
    assert "Browse users and groups" in found["jira commands"]["says"]
    assert "jira.post_user" in found["jira commands"]["do"]


def test_a_jira_that_cannot_be_reached(doctor):
    found = doctor(one_project(), without_sources(), ('site = ".*"', 'site = "http://127.0.0.1:9"'), code=1)
    assert states(found, "failed") == {"jira read BKG", "jira post BKG"}
    assert "could not be reached" in found["jira read BKG"]["says"]
    assert "jira.site" in found["jira read BKG"]["do"]


def test_a_confluence_that_is_down(doctor, made):
    made.box.faults.add("*", "/wiki/", "status", 1000, status=503)
    found = doctor(one_project(), code=1)
    assert states(found, "failed") == {"confluence", "confluence post"}
    assert "503" in found["confluence"]["says"]


def test_a_repository_that_is_not_there(doctor):
    found = doctor(one_project(), (r'location = ".*gate-app.*"', 'location = "nowhere/gate-app"'), code=1)
    assert states(found, "failed") == {"gate-app"}
    assert "can be fetched" in found["gate-app"]["do"]


def test_an_audience_that_is_not_mapped_and_no_webhook_secret(doctor):
    secrets = {"CROSSCHECK_JIRA_WEBHOOK_SECRET": "", "CROSSCHECK_CONFLUENCE_WEBHOOK_SECRET": ""}
    unmapped = [(rf'(?m)^"{label}" = .*$', "") for label in ("jira:GATE", "confluence:POL")]
    found = doctor(*unmapped, code=0, **secrets)
    assert states(found, "warning") == {"audience GATE", "audience POL", "jira webhook", "confluence webhook"}
    assert found["audience POL"]["says"].endswith("answers there use pages of POL alone.")
    assert "[audience.holders]" in found["audience GATE"]["do"]
    assert "polling" in found["jira webhook"]["says"]


def test_missing_secrets_are_named_and_keep_no_other_check_from_running(doctor):
    found = doctor(one_project(), code=1, CROSSCHECK_CONFLUENCE_TOKEN="", CROSSCHECK_JIRA_READ_TOKEN="")
    assert states(found, "failed") == {"confluence", "jira read BKG"}
    assert "CROSSCHECK_CONFLUENCE_TOKEN is not set" in found["confluence"]["says"]
    assert found["confluence"]["do"] == ""
    assert found["gate-app"]["state"] == "ok"


def test_a_model_without_a_key(doctor):
    model = (r"\[review\]", '[model]\nname = "anthropic:some"\n[review]')
    found = doctor(one_project(), model, code=1)
    assert states(found, "failed") == {"model"}
    assert "CROSSCHECK_MODEL_API_KEY is not set" in found["model"]["says"]


def test_the_model_is_asked_a_word(doctor, made):
    model = (r"\[review\]", f'[model]\nname = "openai:some"\nbase_url = "{made.box.model_url}/v1"\n[review]')
    made.box.model.script(["yes"])
    found = doctor(one_project(), model, code=0, CROSSCHECK_MODEL_API_KEY=made.box.model.key)
    assert found["model"]["says"] == "some answers"
    made.box.model.script([Fails(401)])
    found = doctor(one_project(), model, code=1, CROSSCHECK_MODEL_API_KEY="k-123")
    assert "refused the key" in found["model"]["says"]


def test_the_index_is_the_running_services(doctor, made):
    data = made.settings.data
    other = Program(made.settings, made.secrets)
    with owning(data, "serve"), announced(data, "http://127.0.0.1:9"):
        assert other.index.filled
        try:
            found = doctor(one_project(), code=0)
        finally:
            other.close()
    assert f"owned by the running service (pid {os.getpid()}" in found["index"]["says"]


def test_the_index_is_another_processs(doctor, made):
    other = Program(made.settings, made.secrets)
    assert other.index.filled
    try:
        found = doctor(one_project(), code=1)
    finally:
        other.close()
    assert states(found, "failed") == {"index"}
    assert f"in use by process {os.getpid()}; stop it first" in found["index"]["says"]


def test_too_little_disk(made):
    found = {check.name: check for check in examine(made.settings, made.secrets, least_free=2**60)}
    assert found["disk"].state == "failed"
    assert "GiB are needed" in found["disk"].says
    assert "another disk" in found["disk"].do


# Slack


@pytest.fixture
def slack(made):
    """Checks Slack with these settings, by the names of the checks without their "slack "."""
    box = made.box.slack
    secrets = made.secrets.model_copy(
        update={
            "slack_bot_token": SecretStr(box.token),
            "slack_app_token": SecretStr(box.app_token),
            "slack_signing_secret": None,
        }
    )

    def run(outsiders=("org:outside",), token=None, app_token=None, signing_secret=None, **table):
        audience = made.settings.audience.model_copy(update={"outsiders": outsiders})
        chosen = Slack.model_validate({"site": made.box.slack_url, **table})
        given = {"slack_bot_token": token, "slack_app_token": app_token, "slack_signing_secret": signing_secret}
        changed = {name: SecretStr(value) if value else None for name, value in given.items() if value is not None}
        settings = made.settings.model_copy(update={"audience": audience, "slack": chosen})
        checks = list(slack_checks(settings, chosen, secrets.model_copy(update=changed)))
        for check in checks:
            assert check.do or check.state == "ok", check
            assert not [word for word in (box.token, box.app_token) if word in check.says + check.do]
        return {check.name.removeprefix("slack "): check for check in checks}

    before = set(box.api.scopes)
    yield run
    box.api.scopes, box.api.revoked = before, False


def channel(made, name, **more):
    members = tuple(person.id for person in made.box.company.people[:2])
    return made.box.slack.create(Channel(name, members=members, **more))


def not_ok(found):
    return {name: check.state for name, check in found.items() if check.state != "ok"}


def test_slack_is_fine(slack, made):
    private = channel(made, "fine", private=True)
    found = slack(channels={private: ("jira:BKG",), "U0ABC": ("jira:BKG",)}, follow_ups=(private,))
    assert not_ok(found) == {}
    assert made.box.slack.workspace.name in found["token"].says
    assert "can be opened" in found["socket"].says
    assert "are held" in found["scopes"].says
    assert "one token" in found["tokens"].says
    assert found[f"channel {private}"].says.startswith("#fine, closed")
    assert "U0ABC" in found["people"].says


def test_slack_is_among_the_checks(made):
    settings = made.settings.model_copy(update={"slack": Slack(site="http://127.0.0.1:9"), "jira": None})
    secrets = made.secrets.model_copy(
        update={"slack_bot_token": SecretStr("xoxb-1"), "slack_app_token": SecretStr("xapp-1")}
    )
    found = {check.name: check for check in examine(settings, secrets)}
    assert (found["slack token"].state, found["slack socket"].state) == ("failed", "failed")
    assert "connection failed" in found["slack token"].says
    for name in ("slack token", "slack socket"):
        assert found[name].says.endswith(".")
        assert all(word in found[name].do for word in ("slack.site", "proxy", "firewall"))
        assert "CROSSCHECK" not in found[name].do


def test_what_is_asked_of_slack_but_not_found_for_anybody(made):
    audience = made.settings.audience.model_copy(update={"holders": {}})
    slack = Slack(site="http://127.0.0.1:9")
    settings = made.settings.model_copy(update={"slack": slack, "jira": None, "audience": audience})
    found = {check.name: check for check in examine(settings, made.secrets)}
    assert found["audience org"].state == "failed"
    assert "answers in Slack will find nothing" in found["audience org"].says
    assert "[audience.holders]" in found["audience org"].do
    asked = {check.name: check for check in examine(settings.model_copy(update={"slack": None}), made.secrets)}
    assert "audience org" not in asked


def test_labels_that_nothing_has(made):
    holders = {
        **made.settings.audience.holders,
        "org": ("banana", "jira:NOPE", "jira:BKG:role:Testers", "jira:group:1", "confluence:POL", "team"),
        "team": ("repo:gate-app", "jira:internal"),
        "unused": ("org",),
    }
    audience = made.settings.audience.model_copy(update={"holders": holders, "outsiders": ("jira:NOPE:role:x",)})
    slack = Slack.model_validate({"site": "http://127.0.0.1:9", "channels": {"C0ABC": ["files:none", "slack:C0ABC"]}})
    settings = made.settings.model_copy(update={"audience": audience, "slack": slack})
    assert strange(settings) == {
        "banana": "audience.holders",
        "jira:NOPE": "audience.holders",
        "jira:NOPE:role:x": "audience.outsiders",
        "files:none": "slack.channels",
        "unused": "audience.holders",
    }
    assert "slack:C0ABC" in strange(
        settings.model_copy(update={"slack": None, "audience": Audience(outsiders=("slack:C0ABC",))})
    )


def test_they_are_a_warning(doctor):
    found = doctor(one_project(), (r"(?m)^(\"?org\"?) = \[", 'org = ["banana", '), code=0)
    assert states(found, "warning") >= {"audience labels"}
    assert "`banana` (audience.holders)" in found["audience labels"]["says"]


@pytest.mark.parametrize("token", ["xoxb-wrong", "", "with blanks"])
def test_a_wrong_slack_token_is_said_once(slack, token):
    found = slack(token=token, follow_ups=("C0ABC",))
    assert not_ok(found) == {"token": "failed"}
    assert "CROSSCHECK_SLACK_BOT_TOKEN" in found["token"].do


def test_slacks_tokens_are_not_exchanged(slack, made):
    box = made.box.slack
    found = slack(token=box.app_token, app_token=box.token)
    assert not_ok(found) == {"token": "failed", "socket": "failed"}
    assert found["token"].says.startswith("CROSSCHECK_SLACK_BOT_TOKEN holds an app-level token (xapp-)")
    assert found["socket"].says.startswith("CROSSCHECK_SLACK_APP_TOKEN holds a bot's token (xoxb-)")


def test_exchanged_tokens_are_told_without_asking_slack(slack, made):
    """Nobody is there."""
    box = made.box.slack
    found = slack(token=box.app_token, app_token=box.token, site="http://127.0.0.1:9")
    assert all("holds" in found[name].says for name in ("token", "socket"))


def test_a_token_that_slack_refuses_has_its_own_advice(slack):
    found = slack(token="xoxb-wrong", app_token="xapp-wrong")
    assert found["token"].says == "Slack refused to tell who the bot is: Slack does not accept the bot's token."
    assert "CROSSCHECK_SLACK_BOT_TOKEN" in found["token"].do
    assert "CROSSCHECK_SLACK_APP_TOKEN" in found["socket"].do
    assert "firewall" not in found["token"].do + found["socket"].do


def test_a_missing_app_token(slack):
    found = slack(app_token="")
    assert not_ok(found) == {"socket": "failed"}
    assert "CROSSCHECK_SLACK_APP_TOKEN is not set" in found["socket"].says
    assert "connections:write" in found["socket"].do


@pytest.mark.parametrize("missing", ["mpim:history", "files:write"])
def test_a_missing_scope_is_named_with_what_it_is_for(slack, made, missing):
    made.box.slack.api.scopes.discard(missing)
    found = slack()
    assert not_ok(found) == {"scopes": "failed"}
    assert found["scopes"].says == f"The app lacks {missing} ({SCOPES[missing]})."
    assert "install the app again" in found["scopes"].do


def test_a_scope_that_is_not_needed_is_named(slack, made):
    made.box.slack.api.scopes.add("channels:join")
    assert "channels:join" in slack()["scopes"].says


def test_http_mode_needs_the_signing_secret_and_no_socket(slack, made):
    found = slack(mode="http", app_token="")
    assert not_ok(found) == {"http": "failed"}
    assert "CROSSCHECK_SLACK_SIGNING_SECRET" in found["http"].says
    found = slack(mode="http", signing_secret="s", app_token="")
    assert not_ok(found) == {}
    assert "/webhooks/slack" in found["http"].says
    assert "cannot be tried from here" in found["http"].says
    found = slack(mode="http", signing_secret=made.box.slack.token, app_token="")
    assert not_ok(found) == {"http": "failed"}
    assert "CROSSCHECK_SLACK_SIGNING_SECRET holds a bot's token" in found["http"].says


def test_a_channel_that_the_bot_cannot_speak_in(slack, made):
    out, old = channel(made, "left", bot=False), channel(made, "old")
    made.box.slack.archive("old")
    found = slack(follow_ups=(out, old, "C0NOPE"))
    assert not_ok(found) == {f"channel {one}": "failed" for one in (out, old, "C0NOPE")}
    assert "archived" in found[f"channel {old}"].says
    assert all("/invite" in found[f"channel {one}"].do for one in (out, old, "C0NOPE"))
    assert found[f"channel {out}"].says == "The bot is not in the channel #left."
    assert "it is private and the bot is not in it" in found["channel C0NOPE"].says


def test_nobody_is_invited_to_a_direct_message(slack):
    found = slack(channels={"D0NOPE": ("jira:BKG",), "U0ABC": ("jira:BKG",)})
    assert not_ok(found) == {"channel D0NOPE": "failed"}
    assert "/invite" not in found["channel D0NOPE"].do


def test_labels_of_a_public_channel_have_no_effect(slack, made):
    public = channel(made, "everybody")
    found = slack(channels={public: ("jira:BKG",)})
    assert not_ok(found) == {f"channel {public}": "warning"}
    assert "#everybody is public" in found[f"channel {public}"].says
    assert not_ok(slack(follow_ups=(public,))) == {}


def test_a_channel_with_people_from_outside(slack, made):
    shared = channel(made, "partners", shared_with="Quayline", strangers=("Odile",))
    name = f"channel {shared}"
    found = slack(follow_ups=(shared,))
    assert not_ok(found) == {name: "warning"}
    assert "another company" in found[name].says
    assert "slack.outside" in found[name].do
    assert not_ok(slack(outside=(shared,))) == {}
    assert "audience.outsiders is empty" in slack(outside=(shared,), outsiders=())[name].says
    assert "no effect" in slack(outside=(shared,), channels={shared: ("jira:BKG",)})[name].says


def test_a_channel_that_is_allowed_for_outsiders_and_has_none(slack, made):
    inner = channel(made, "inner")
    found = slack(outside=(inner,))
    assert not_ok(found) == {f"channel {inner}": "warning"}
    assert "nobody from outside" in found[f"channel {inner}"].says


def test_both_faults_of_a_public_channel_are_told(slack, made):
    both = channel(made, "both")
    found = slack(outside=(both,), channels={both: ("jira:BKG",)})[f"channel {both}"]
    assert "nobody from outside" in found.says
    assert "#both is public" in found.says
    assert "Take it out of slack.outside. Take it out of slack.channels" in found.do
