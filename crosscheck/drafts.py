"""Where people go on with a draft of test cases."""

from crosscheck.replies import Thread
from state.drafts import Drafts
from state.errors import Overtaken


def thread(drafts: Drafts, name: str) -> Thread:
    """A conversation by its name, unique among all surfaces, with the draft that was shown there last.

    Two requests in one are one after the other: the second goes on with what the first has shown. Raises Overtaken
    while the first is not shown.
    """
    if drafts.is_waiting(name):
        raise Overtaken("The draft before this one is being posted.", retry_after=1.0)
    return Thread(name, drafts.latest(name), drafts.next_version(name))
