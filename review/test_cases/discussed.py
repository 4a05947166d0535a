"""A thread as the matter of a draft: what people said in it is read as a ticket's texts are, remark by remark."""

from collections.abc import Sequence

from core.tickets import KEY, Field, Ticket, TicketLink
from core.types import Audience
from review.discussion import Discussion, Remark
from review.reading import Reading
from review.test_cases.lexicon import TALK
from review.test_cases.types import THREAD
from review.text import phrases, sentences
from review.types import Unknown
from review.wording import cut_quote

UNREADABLE = "This thread cannot be read by everybody who can read this reply."
TITLE = 120
"""Characters of the first remark that are its title."""
NAMED = 10
"""Tickets that are read of those that a thread names."""
_SAID = "said"
"""The name of a remark as a field: it adds nothing to what the remark is about."""


def untold(discussion: Discussion, audience: Audience, closed: frozenset[str]) -> Unknown | None:
    """Why no cases can be made of a thread, if none can."""
    seen = discussion.seen_by(audience)
    if discussion.locator.document_id in closed or seen is None:
        return Unknown(UNREADABLE, "Asking in the thread itself, or for a ticket by its key.")
    told = (one.text for one in seen.by_people if one.labels is None or one.locator.document_id not in closed)
    if not any(char.isalnum() for text in told for char in text):
        what = "Nobody has said anything in this thread that could be tried."
        return Unknown(what, "Saying in it what must hold, or asking for a ticket by its key.")
    return None


def discussed(discussion: Discussion, reading: Reading) -> Ticket:
    """The thread as a ticket, its remarks entered as sources, the tickets that people name read live around it.
    Somebody must have said something that its readers may read.

    Its citations are of the thread as a whole; the register knows in which remark each quote stands.
    """
    entered = reading.enter_thread(discussion)
    remarks = [one.remark for one in entered if one.passage]
    key, links = _named(remarks, reading)
    first, *others = remarks
    return Ticket(
        id=discussion.locator.document_id,
        key=key,
        project="",
        summary=title_of(first),
        description=on_the_matter(first),
        type="Thread",
        status="",
        done=False,
        resolution=None,
        reporter=None,
        assignee=None,
        created=first.at,
        updated=remarks[-1].at,
        labels=discussion.labels,
        locator=discussion.locator,
        fields=tuple(Field("", _SAID, on_the_matter(one)) for one in others),
        links=links,
        kind="thread",
    )


def title_of(remark: Remark) -> str:
    """How it begins: its first sentence, literally, as far as it fits."""
    first = next((one.text for one in sentences(remark.text)), remark.text)
    return cut_quote(" ".join(first.split()), TITLE)


def on_the_matter(remark: Remark) -> str:
    """The text with what is only talk between people blanked, so that what is left stands where it stood."""
    text = remark.text
    for one in sentences(text):
        if one.prose in phrases(TALK):
            text = text[: one.start] + " " * len(one.text) + text[one.end :]
    return text


def _named(remarks: Sequence[Remark], reading: Reading) -> tuple[str, tuple[TicketLink, ...]]:
    """The draft's key, and the tickets that people name, read live. Of a key that cannot be read the same is said
    whether its ticket is hidden or does not exist; one that only did not answer may be the draft's.
    """
    named = list(dict.fromkeys(key for one in remarks for key in KEY.findall(one.text)))
    first, links = "", []
    for key in named[:NAMED]:
        before = reading.unknowns
        found = reading.open_ticket(key)
        if found is not None:
            links.append(_link(found))
        elif reading.unknowns == before:
            what = f"{key}, named in the thread, is no ticket that everybody who can read this reply may read."
            reading.note([Unknown(what, "Saying in the thread what it asks for.")])
            continue
        first = first or key
    if len(named) > NAMED:
        what = f"Only {NAMED} of {len(named)} tickets that the thread names were looked at."
        reading.note([Unknown(what, "Asking for the others by their keys.")])
    return first or THREAD, tuple(links)


def _link(to: Ticket) -> TicketLink:
    return TicketLink("named in", to.key, to.summary, to.type, to.status, to.done, to.resolution, to.labels, to.locator)
