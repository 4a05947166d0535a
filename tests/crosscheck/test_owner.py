"""One process owns the data folder."""

import subprocess
import sys

import pytest

from crosscheck.errors import AlreadyRunning
from crosscheck.owner import CARD, announced, owning, running

HOLD = """
import sys
from pathlib import Path
from crosscheck.owner import announced, owning
with owning(Path(sys.argv[1]), "serve"), announced(Path(sys.argv[1]), "http://127.0.0.1:1"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_process_is_told_who_holds_it(tmp_path, holder):
    with pytest.raises(AlreadyRunning, match=rf"crosscheck serve` \(pid {holder.pid}\)"), owning(tmp_path, "sync"):
        pass


def test_the_service_is_found_while_it_lives_and_not_after_it_was_killed(tmp_path, holder):
    found = running(tmp_path)
    assert found is not None
    assert found.pid == holder.pid
    holder.kill()
    holder.wait()
    assert (tmp_path / CARD).exists()
    assert running(tmp_path) is None
    with owning(tmp_path, "sync"):
        pass


def test_the_card_is_for_the_owner_alone(tmp_path):
    with owning(tmp_path, "serve"), announced(tmp_path, "http://127.0.0.1:1"):
        assert (tmp_path / CARD).stat().st_mode & 0o077 == 0
    assert not (tmp_path / CARD).exists()
