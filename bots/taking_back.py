"""Taking back at once what came out otherwise than asked, whatever else."""

from collections.abc import Callable
from typing import TypeVar

from bots.errors import BotError, CameOutWider, Gone, Misplaced, Unavailable, Uncertain

E = TypeVar("E", CameOutWider, Misplaced)


def taken_back(error: type[E], message: str, url: str, delete: Callable[[], None]) -> E:
    """The error that says what happened (`message`), and whether it could be deleted or still stands."""
    try:
        try:
            delete()
        except (Unavailable, Uncertain):
            delete()
    except Gone:
        pass
    except BotError as e:
        return error(f"{message} It could not be deleted and still stands at {url}: {e}", withdrawn=False)
    return error(f"{message} It was deleted.")
