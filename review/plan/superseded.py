"""Pages that a plan rests on though they hold no longer."""

import re
from collections.abc import Iterator

from core.types import Evidence
from review.checks.pages import is_archived, void_notice
from review.checks.places import shown
from review.plan.known import first_of_each
from review.plan.matter import Matter
from review.plan.types import PlanCheck
from review.text import phrases
from review.types import Cited, Priority

_MOST = 2
_SAYS_SO = re.compile(
    r"\b(?:superseded|archived|obsolete|outdated|withdrawn|replaced|former|draft|old|was|were|said|veraltet|alte[nrs]?)\b",
    re.IGNORECASE,
)


def check(matter: Matter) -> Iterator[PlanCheck]:
    """One for each page that the plan names as if it were in force, and that says of itself that it is not."""
    pages = [one for one in first_of_each(matter.found) if one.kind == "page"]
    told = 0
    for page in pages:
        quote = void_notice(page, matter.words)
        successors = (one for one in pages if one.locator.title.casefold() in quote.casefold())
        if told < _MOST and quote and _is_relied_on(matter, page) and not any(map(matter.known.names, successors)):
            told += 1
            yield _told(page, quote)


def _is_relied_on(matter: Matter, page: Evidence) -> bool:
    """Whether a sentence names the page, none that does says that it is an old one, and the plan does not name the
    page that took its place either.
    """
    title = " ".join(page.locator.title.split()).casefold()
    naming = [one.text for one in matter.given.sentences if title in " ".join(one.text.split()).casefold()]
    return bool(naming) and not any(
        _SAYS_SO.search(text) or text in phrases(matter.words.superseded) for text in naming
    )


def _told(page: Evidence, quote: str) -> PlanCheck:
    state = "archived" if is_archived(page) else "superseded"
    return PlanCheck(
        category="requirement or policy",
        priority=Priority.P1,
        statement=f"The plan rests on the page “{shown(page.locator.title)}”, which is {state}: “{shown(quote)}”. "
        "Follow what took its place.",
        why="What it says may be otherwise today.",
        evidence=(Cited(page.locator, page.labels, quote=quote),),
    )
