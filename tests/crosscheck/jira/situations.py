"""The situations in which people ask in Jira, and what is seen in each: word for word where it is short."""

from tests.crosscheck.jira.situations_of_asking import CASES, COMMANDS, READERS, SERVICE
from tests.crosscheck.jira.situations_of_change import BROKEN, EDITS, PEOPLE, SIZES, TICKETS

PARTS = {
    "Commands": COMMANDS,
    "Test cases": CASES,
    "Who sees the answer": READERS,
    "Service projects": SERVICE,
    "Who may ask, and when": PEOPLE,
    "Comments that change": EDITS,
    "Tickets that change": TICKETS,
    "When something is broken": BROKEN,
    "Long and strange texts": SIZES,
}
SITUATIONS = tuple(one for part in PARTS.values() for one in part)
