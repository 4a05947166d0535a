"""What one can ask for, as the bot's help and its home tab tell it. No I/O."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ability:
    """One thing to ask for."""

    text: str
    """What to write to the bot."""
    gives: str
    private: bool = True
    """Whether it can be asked for with the slash command as well."""


ABILITIES = (
    Ability("how long are papers kept?", "an answer to any question, with its sources"),
    Ability("check PROJ-12", "what is missing, undecided or in conflict in a ticket; its link alone does the same"),
    Ability(
        "test cases for PROJ-12",
        "a draft, and a file; end with “as csv”, “as gherkin”, “as testrail”, “as xray”, "
        "“as zephyr” or “as xlsx” for another kind",
    ),
    Ability("test cases for this thread", "the same, from what was said there", private=False),
    Ability("add the boundary of 30 days", "the next version of the thread's draft, with more cases", private=False),
    Ability("drop 4", "the next version, without case 4", private=False),
    Ability("help", "this list"),
)
COMMAND = "/crosscheck"
SHORTCUT = "Ask about this"
