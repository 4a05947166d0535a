"""Who uses what a changed document defines, over a real index."""

import pytest

from core.consumers import Consumers
from core.types import ORG, Audience
from tests.core.parts import EVERYBODY, Bench
from tests.core.test_exact import code

INSIDERS = Audience(frozenset({ORG, "repo:vault"}))
HOLDS = code(
    "class Hold:\n    def keep_seats(self, count):\n        return count\n\nHOLD_MINUTES = 10\n", "src/holds.py"
)
PAYS = code(
    "# keep_seats comes before that\nfrom holds import keep_seats\n\n\n\ndef pay(hold):\n    hold.keep_seats(3)\n",
    "src/pay.py",
)
GATE = code(
    "import { keep_seats } from 'shop';\n\nexport function scan() {\n  keep_seats(1);\n}\n", "app/scan.ts", repo="gate"
)
VAULT = code("def open():\n    keep_seats(2)\n", "src/vault.py", repo="vault", labels=frozenset({"repo:vault"}))
OWN = code(
    "def keep_seats(n):\n    return n\n\n\ndef other():\n    return keep_seats(5)\n", "lib/own.py", repo="cinema"
)
CALLER = code("def show():\n    return keep_seats(6)\n", "lib/show.py", repo="cinema")
SETTING = code("limits:\n  HOLD_MINUTES: 10\n", "conf/limits.yaml", repo="gate")
LONGER = code("def go():\n    keep_seats_open(2)\n", "src/longer.py")

CHANGED = frozenset({HOLDS.id})


@pytest.fixture
def consumers(bench: Bench) -> Consumers:
    bench.index(HOLDS, PAYS, GATE, VAULT, OWN, CALLER, SETTING, LONGER)
    return Consumers(bench.store)


def told(consumers, name, changed=CHANGED, audience=EVERYBODY):
    return [(use.repo, use.path, use.line, use.text) for use in consumers.users_of(name, changed, audience)]


def test_other_repositories_first_each_with_its_line(consumers):
    assert told(consumers, "keep_seats") == [
        ("gate", "app/scan.ts", 4, "keep_seats(1);"),
        ("shop", "src/pay.py", 7, "hold.keep_seats(3)"),
    ]
    assert told(consumers, "Hold.keep_seats") == told(consumers, "keep_seats")


def test_a_name_in_a_file_without_syntax(consumers):
    assert told(consumers, "HOLD_MINUTES") == [("gate", "conf/limits.yaml", 2, "HOLD_MINUTES: 10")]


def test_what_the_audience_may_not_read_is_not_there(consumers):
    assert ("vault", "src/vault.py", 2, "keep_seats(2)") in told(consumers, "keep_seats", audience=INSIDERS)
    assert told(consumers, "keep_seats", audience=Audience(frozenset())) == []
    hidden = frozenset({VAULT.id})
    assert told(consumers, "open", hidden) == []


def test_changed_documents_are_no_users(consumers):
    assert ("shop", "src/pay.py", 7, "hold.keep_seats(3)") not in told(
        consumers, "keep_seats", CHANGED | frozenset({PAYS.id})
    )


@pytest.mark.parametrize("name", ["nobody", "", ".", "keep seats", "\ud800", "Hold.nobody"])
def test_what_is_not_defined_there_has_no_users(consumers, name):
    assert told(consumers, name) == []
    assert told(consumers, name, frozenset()) == []


def test_evidence_holds_the_line_and_its_locator_names_it(consumers):
    for use in consumers.users_of("keep_seats", CHANGED, EVERYBODY):
        assert use.text in use.evidence.text
        assert use.evidence.locator.line == use.line
        assert use.evidence.labels <= EVERYBODY.labels
