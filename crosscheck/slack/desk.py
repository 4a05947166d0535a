"""What every request from Slack is answered with."""

from dataclasses import dataclass

from bots.types import Place
from crosscheck.admission import Admission, TooMuch
from crosscheck.audience import Audiences
from crosscheck.replies import Replies
from crosscheck.test_case_files import Form
from state.jobs import Jobs
from state.types import Claim

OUTSIDERS = (
    "People from outside the organisation can read this channel, so I do not answer here. Ask in a channel without "
    "guests, or have an administrator allow this one (slack.outside)."
)
AGAIN = "Ask again in a new message"
NOT_ANSWERED = "This could not be answered."


@dataclass(frozen=True, slots=True)
class Desk:
    """Shared by messages and private requests."""

    replies: Replies
    audiences: Audiences
    jobs: Jobs
    admission: Admission
    outside: frozenset[str]
    """Channels with people from outside in which an administrator lets it answer."""
    jira_site: str
    """Whose ticket links count as the ticket's key."""
    form: Form
    """Of a file, where the request names none."""
    posting: bool

    def too_much(self, claim: Claim, person: str, *, tells: bool = True) -> TooMuch | None:
        """Whether the person, or the channel, has asked too much. Not `tells`: it does not address the bot."""
        place = f"slack|{claim.payload['place_id']}"
        return self.admission.too_much(claim, person=person, place=place, called="this channel", tells=tells)

    def is_closed(self, place: Place) -> bool:
        """Whether nothing is answered there, for people from outside read it."""
        return place.customers and place.id not in self.outside
