"""What can be written in a comment."""

from bots.outline import Bullets, Words, words
from crosscheck.replies import Reply
from crosscheck.settings_commands import Commands


def help_text(commands: Commands) -> Reply:
    """The commands, as the settings spell them."""
    rows = [(commands.review[0], "", "what is missing, undecided or in conflict here")]
    rows += [(word, " and a question", "an answer from tickets, policies and code") for word in commands.ask[:1]]
    rows += [(word, "", "a draft of test cases") for word in commands.test_cases[:1]]
    told = tuple((Words(f"#{word}{more}", code=True), Words(f": {gives}")) for word, more, gives in rows)
    return Reply((words("Write in a comment:"), Bullets(told)), {"help": True}, rated=False)
