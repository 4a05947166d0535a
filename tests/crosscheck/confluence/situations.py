"""All situations, in the order of the page."""

from tests.crosscheck.confluence.asking import COMMANDS, LOOKED_AT
from tests.crosscheck.confluence.changing import BROKEN, LIMITS, PAGES, READERS, THREADS

PARTS = {
    "What is written": COMMANDS,
    "What a review looks at": LOOKED_AT,
    "Who may read the page": READERS,
    "Threads and comments": THREADS,
    "Pages and spaces": PAGES,
    "When something is broken": BROKEN,
    "What an administrator can set": LIMITS,
}
SITUATIONS = tuple(one for part in PARTS.values() for one in part)
