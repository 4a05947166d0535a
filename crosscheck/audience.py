"""Who can read a reply, as labels that all of them are known to hold: computed from the place and the settings."""

from collections.abc import Callable, Iterable, Mapping

from bots.types import Place, Trigger, Visibility
from core import visibility
from core.types import ORG, Audience


class Audiences:
    """`holders` maps a label to further labels that everybody who holds it holds too; applied transitively.

    `channels` maps a closed channel, or a person who is written with directly, to labels that all its readers hold.
    """

    def __init__(
        self,
        holders: Mapping[str, Iterable[str]],
        outsiders: Iterable[str] = (),
        channels: Mapping[str, Iterable[str]] | None = None,
        pages: Callable[[str], frozenset[str]] | None = None,
    ) -> None:
        """`pages` reads who can see a page now, as the labels that each of them holds. Raises SourceError."""
        self._holders = {label: frozenset(more) for label, more in holders.items()}
        self._outsiders = frozenset(outsiders)
        self._pages = pages
        self._channels = {place: frozenset(labels) for place, labels in (channels or {}).items()}

    def of(self, trigger: Trigger) -> Audience:
        """The audience of a reply to this trigger, as its place and visibility are now.

        A comment on a page is read by whoever can read the page. In a service project customers read whatever is not
        internal, whatever role or group it is limited to, so only the labels made for outsiders count there.
        """
        place = trigger.place
        if place.surface == "slack":
            return self.in_channel(place)
        if place.surface == "confluence":
            return self.holding(self._pages(place.id) if self._pages else ())
        if place.customers and not trigger.visibility.internal:
            return Audience(self._outsiders)
        own = {visibility.jira_project(place.container)}
        if place.security:
            own.add(visibility.jira_security(place.container, place.security))
        own |= visibility.jira_restricted(place.container, place.roles)
        if trigger.visibility.internal:
            own.add(visibility.INTERNAL)
        own |= _restriction(trigger.visibility, place.container)
        return self.holding(own)

    def in_channel(self, place: Place) -> Audience:
        """The audience of a reply in a channel: everybody in it, whoever asked.

        An open channel is read by the whole organisation, whatever is mapped to it. Of people from outside nothing is
        known but what is made for them, and what is said in the channel itself.
        """
        own = visibility.slack_channel(place.id)
        if place.customers:
            return Audience(self._outsiders | {own})
        mapped = {*self._channels.get(place.id, ()), *self._channels.get(place.partner, ())} if place.closed else set()
        return self.holding({ORG, own, *mapped})

    def holding(self, labels: Iterable[str]) -> Audience:
        """The audience of people known to hold these labels."""
        held: set[str] = set()
        ahead = list(labels)
        while ahead:
            label = ahead.pop()
            if label not in held:
                held.add(label)
                ahead.extend(self._holders.get(label, ()))
        return Audience(frozenset(held))

    def named(self, text: str) -> Audience:
        """The audience of `--as`: labels separated by commas, with what everybody who holds them also holds; after an
        equals sign these labels and no others.
        """
        exactly = text.startswith("=")
        labels = frozenset(label.strip() for label in text.removeprefix("=").split(",") if label.strip())
        return Audience(labels) if exactly else self.holding(labels)


def _restriction(shown_to: Visibility, project: str) -> set[str]:
    if shown_to.restriction is None:
        return set()
    kind = shown_to.restriction.get("type")
    who = str(shown_to.restriction.get("identifier") or shown_to.restriction.get("value") or "")
    if kind == "role":
        return {visibility.jira_role(project, who)}
    return {visibility.jira_group(who)}
