"""Windows that ask for something. No I/O."""

from typing import Any

from bots.slack.rich_text import Node, plain_text

REASON = "crosscheck_reason"
"""The window's callback id, and the id of the block and the action that hold what was written."""
REASON_LENGTH = 1_000


def reason_modal(job: int, verdict: str) -> dict[str, Any]:
    """Asks why an answer helped or did not; an answer to it is optional. The job's number is in `private_metadata`.

    `verdict` is "up" or "down".
    """
    helped = verdict == "up"
    hint = "Which statement or source was useful?" if helped else "Which statement was wrong, or what was missing?"
    field: Node = {
        "type": "plain_text_input",
        "action_id": REASON,
        "multiline": True,
        "max_length": REASON_LENGTH,
        "placeholder": plain_text(hint),
    }
    return {
        "type": "modal",
        "callback_id": REASON,
        "private_metadata": str(job),
        "title": plain_text("What helped?" if helped else "What was wrong?"),
        "submit": plain_text("Send"),
        "close": plain_text("Skip"),
        "blocks": [
            {
                "type": "input",
                "block_id": REASON,
                "optional": True,
                "label": plain_text("Why?"),
                "element": field,
            }
        ],
    }
