"""Whether somebody is in a group, or has a role in a project."""

from collections.abc import Collection
from urllib.parse import quote

from bots.errors import Gone, NotAllowed
from bots.exchange import Exchange
from bots.jira import answers
from bots.jira.answers import Actor, read
from bots.jira.flavour import Flavour, Identity
from bots.types import Place


class People:
    """Every call raises the errors of `bots.errors`."""

    def __init__(self, jira: Exchange, flavour: Flavour) -> None:
        self._jira = jira
        self._flavour = flavour

    def belongs(self, place: Place, person_id: str, groups: Collection[str], roles: Collection[str]) -> bool:
        """Groups go by name, on Cloud by id as well; roles by name. Somebody who is not there any more is in none.

        Raises NotAllowed, with the permission it takes, when the bot may not look.
        """
        if not person_id or not (groups or roles):
            return False
        try:
            person = self._flavour.identity(person_id)
        except Gone:
            return False
        if not person.groups.isdisjoint(name.casefold() for name in groups):
            return True
        wanted = {name.casefold() for name in roles}
        return bool(wanted) and any(
            _is_or_holds(actor, person)
            for name, number in self._roles(place).items()
            if name.casefold() in wanted
            for actor in self._actors(place, number)
        )

    def _roles(self, place: Place) -> dict[str, str]:
        """Numbers by name."""
        path = f"{self._flavour.api}/project/{quote(place.container, safe='')}/role"
        what = f"tell the roles in {place.container}"
        payload = self._jira.ask("GET", path, what=what, needs="Browse projects")
        found = read(answers.Roles, {"roles": payload}, "roles").roles
        return {name: address.rpartition("/")[2] for name, address in found.items()}

    def _actors(self, place: Place, number: str) -> tuple[Actor, ...]:
        path = f"{self._flavour.api}/project/{quote(place.container, safe='')}/role/{quote(number, safe='')}"
        what, needs = f"tell who has a role in {place.container}", "Administer projects"
        try:
            return read(answers.Role, self._jira.ask("GET", path, what=what, needs=needs), "a role").actors
        except Gone as e:  # what Jira says to who may not know
            raise NotAllowed(f"Jira did not {what}; it takes the permission {needs}") from e


def _is_or_holds(actor: Actor, person: Identity) -> bool:
    """Cloud names a person by account id and a group by id and name; Data Center both by name alone."""
    if actor.actor_user is not None:
        return actor.actor_user.id.casefold() in person.names
    if actor.actor_group is not None:
        return not person.groups.isdisjoint({actor.actor_group.name.casefold(), actor.actor_group.group_id.casefold()})
    return actor.name.casefold() in (person.groups if "group" in actor.type else person.names)
