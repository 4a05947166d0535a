"""The labelled set of who uses a name, and how well it is answered."""

from evals.consumers import measure


def test_uses_are_found_and_look_alikes_are_not(tmp_path):
    """A label that fits no line of the corpus raises."""
    for part in measure(tmp_path)["measured"].values():
        assert not part["taken_for_another_kind"]
        assert part["all"]["sure"]["precision"] >= 0.95
        assert part["all"]["likely"]["precision"] >= 0.9
        assert part["all"]["likely"]["recall_so_far"] >= 0.9
        assert part["defined"]["recall"] >= 0.9
