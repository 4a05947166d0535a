"""What docs/mcp.md tells people to write is valid, and what it says of limits is so."""

import json
import re
import tomllib
from pathlib import Path

import httpx
import pytest

from crosscheck.callers import Callers
from crosscheck.mcp.arguments import PLAN
from crosscheck.mcp.calls import Limits
from crosscheck.mcp.http import LARGEST_REQUEST, OF_ONE
from crosscheck.settings import check
from review.plan.types import LONGEST
from tests.crosscheck.programs.transcript import PAGE

TEXT = PAGE.read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def of(language):
    return [block for name, block in BLOCKS if name == language]


@pytest.mark.parametrize("block", of("json"))
def test_a_clients_file_is_json_with_one_server(block):
    read = json.loads(block)
    (server,) = (read.get("mcpServers") or read["servers"]).values()
    if "url" in server:
        assert server["url"] == "https://qa.example.com/mcp"
        assert re.fullmatch(r"Bearer \$\{[\w:-]+\}", server["headers"]["Authorization"]), "no token stands in a file"
    else:
        assert server["args"][2:] == ["mcp", "--as", "org"]
    assert [f"${{input:{one['id']}}}" in block for one in read.get("inputs", [])] == [True] * len(
        read.get("inputs", [])
    )


def test_settings_are_accepted():
    own = [block for block in of("toml") if "mcp_servers" not in block]
    settings = check(tomllib.loads("\n".join(own)), Path("crosscheck.toml"))
    assert settings.serve.names == ("qa.example.com",)
    assert Callers(settings.tokens)
    (codex,) = [tomllib.loads(block) for block in of("toml") if "mcp_servers" in block]
    assert codex["mcp_servers"]["crosscheck"]["bearer_token_env_var"] == "CROSSCHECK_TOKEN"


def test_the_limits_are_those_of_the_code():
    said = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", TEXT.partition("## Limits")[2], re.MULTILINE))
    assert said["a plan"] == f"{PLAN:,} characters"
    assert PLAN == LONGEST
    assert LARGEST_REQUEST == 1024**2
    limits = Limits()
    assert said["work at one time"] == (
        f"{limits.at_once} operations, {OF_ONE} of one token; {limits.waiting} more calls of each token wait, "
        f"{limits.seconds} seconds at most"
    )


@pytest.mark.parametrize(("path", "body"), re.findall(r"qa\.example\.com(/v1/\w+) [^']*?-d '([^']+)'", TEXT))
def test_the_commands_are_answered(stage, path, body):
    headers = {"Authorization": f"Bearer {stage.tokens['developers']}", "Content-Type": "application/json"}
    answer = httpx.post(f"{stage.live.url}{path}", content=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("kind", ["oauth-authorization-server", "oauth-protected-resource", "openid-configuration"])
def test_no_sign_in_is_offered_that_a_client_would_prefer_to_its_header(stage, kind):
    for path in (f"/.well-known/{kind}", f"/.well-known/{kind}/mcp", f"/mcp/.well-known/{kind}"):
        assert httpx.get(f"{stage.live.url}{path}", timeout=20).status_code == 404
