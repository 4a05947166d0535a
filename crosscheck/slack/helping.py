"""The bot's help."""

from bots.outline import Bullets, Words, words
from bots.slack.abilities import ABILITIES, COMMAND, SHORTCUT
from crosscheck.replies import Reply


def help_text(*, privately: bool = False) -> Reply:
    """What one can ask for, in a thread or for one person alone."""
    rows = [(one.text, one.gives) for one in ABILITIES if one.private or not privately]
    if not privately:
        rows.append((f"{COMMAND} {ABILITIES[0].text}", "an answer that only you see"))
        rows.append((SHORTCUT, "in the menu of any message: an answer about it that only you see"))
    told = tuple((Words(text, code=True), Words(f": {gives}")) for text, gives in rows)
    return Reply((words("I compare tickets, policies and code. Ask me:"), Bullets(told)), {"help": True}, rated=False)
