"""A bare mirror of a Git repository: fetched, read by object, never checked out.

File names are bytes to Git. Here they are text: UTF-8, other bytes as lone surrogates, so that they can be given back
to Git; `shown` makes one fit to be stored or printed.
"""

from core.mirror.comparing import Difference, Hunk, Hunks
from core.mirror.history import Commit, Touch
from core.mirror.looking import Hit, Hits
from core.mirror.mirror import Entry, Mirror, Tip
from core.mirror.names import is_path, shown, unshown
from core.mirror.process import LARGEST

__all__ = [
    "LARGEST",
    "Commit",
    "Difference",
    "Entry",
    "Hit",
    "Hits",
    "Hunk",
    "Hunks",
    "Mirror",
    "Tip",
    "Touch",
    "is_path",
    "shown",
    "unshown",
]
