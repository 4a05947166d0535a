"""Thirty mentions in a second, from several people in several channels, while the service works in its own process."""

from contextlib import closing

from evals.mentions import crowd, opened, serving
from evals.playground import Unindexed, company, secrets_of, settings
from evals.slack_kills import listening
from sandbox.server import Sandbox

MENTIONS = 30


def test_each_of_many_mentions_is_acknowledged_at_once_and_answered_once_in_order(tmp_path):
    with Sandbox.start(company(1)) as box:
        chosen, secrets = serving(settings(tmp_path, box, lease=30), box, "socket", 2), secrets_of(box)
        with closing(Unindexed(chosen, secrets)) as program:
            program.floor()
        channels = opened(box)
        with listening(box, Unindexed, chosen, secrets):
            found = crowd(box, chosen, channels, MENTIONS, 1.0)
    assert found.ack_ms.most < 1000, found
    assert (found.unacknowledged, found.lost, found.answered_once) == (0, 0, MENTIONS), found
    assert found.out_of_order == 0, found
    assert 1 <= found.at_once <= 2, found
    assert found.deliveries == 2 * MENTIONS, found
