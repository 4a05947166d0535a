"""The thread in which a question was asked, as a model is shown it."""

from collections.abc import Sequence

from review.agents.fence import Fence
from review.follow_up import Entered, remark_text
from review.register import Passage

THREAD = 12_000
EACH = 2_000
"""Characters of a thread that are shown, and of one remark."""


def heard(said: Sequence[Entered], fence: Fence, share: float) -> tuple[str, tuple[Passage, ...]]:
    """The newest remarks that there is room for, oldest first, as text; and what of them can be cited. `share` is how
    much of the usual length there is room for.
    """
    left, each = int(THREAD * share), int(EACH * share)
    blocks: list[str] = []
    passages: list[Passage] = []
    for one in reversed(said):
        left -= min(len(one.remark.text), each)
        if left < 0:
            blocks.append("(Earlier messages are not shown.)")
            break
        if one.passage:
            passages.append(one.passage)
            blocks.append(fence.passage(one.passage, each))
        else:
            blocks.append(f"Said by you, and no source:\n{fence.text(remark_text(one.remark), each)}")
    return "\n\n".join(reversed(blocks)), tuple(reversed(passages))
