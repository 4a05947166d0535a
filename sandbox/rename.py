"""The same company under other names: every person, key, number and wording changed at random, the meaning kept.

For tests that want to know whether a rule has learned the make-believe company instead of its job.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from random import Random
from typing import TypeVar

from sandbox.quantities import Quantities
from sandbox.records import (
    Asking,
    Attachment,
    Change,
    Channel,
    Comment,
    Commit,
    Company,
    Database,
    Demo,
    Deployment,
    Page,
    PageComment,
    Person,
    Project,
    Pull,
    Release,
    Repo,
    Space,
    Ticket,
)
from sandbox.thesaurus import Wording, names

Released = TypeVar("Released", Release, Deployment)
_CONSONANTS = "BCDFGHJKLMNPQRSTVWXZ"
_PROSE = {".md", ".csv"}
_SYSTEM_FIELDS = {"summary", "description", "status", "resolution", "assignee"}


def renamed(company: Company, seed: int) -> Company:
    """The company under other names; the same seed gives the same names. Dates, versions and ids of pages stay, and
    what only settings name: roles, groups, levels, statuses and the words of markers.
    """
    return _Renamer(company, Random(seed)).company()


class _Renamer:
    def __init__(self, company: Company, random: Random) -> None:
        self._old = company
        self._people = _people(company.people, random)
        projects = [project.key for project in company.projects]
        self._containers = _containers([*projects, *(space.key for space in company.spaces)], random)
        self._offsets = {key: random.randint(20, 700) for key in projects}
        self._key = re.compile(rf"(?<![\w-])({'|'.join(projects)})-(\d+)(?!\w|-\d)")
        self._quantities = Quantities(random)
        self._wording = Wording(random, _replacements(company.people, self._people))

    def company(self) -> Company:
        old = self._old
        return Company(
            people=tuple(self._person(person) for person in old.people),
            projects=tuple(self._project(project) for project in old.projects),
            tickets=tuple(self._ticket(ticket) for ticket in old.tickets),
            spaces=tuple(self._space(space) for space in old.spaces),
            pages=tuple(self._page(page) for page in old.pages),
            repos=tuple(self._repo(repo) for repo in old.repos),
            truth=tuple(replace(row, ticket=self._keys(row.ticket)) for row in old.truth),
            open_to_all=tuple(self._label(label) for label in old.open_to_all),
            markers=tuple(
                replace(m, where=self._keys(m.where), labels=tuple(self._label(label) for label in m.labels))
                for m in old.markers
            ),
            demo=old.demo and self._demo(old.demo),
            categories=old.categories,
            pulls=tuple(self._pull(pull) for pull in old.pulls),
            organisation=self._code(old.organisation),
            channels=tuple(self._channel(channel) for channel in old.channels),
            environments=old.environments,
            releases=tuple(self._released(release) for release in old.releases),
            deployments=tuple(self._released(deployment) for deployment in old.deployments),
            databases=tuple(self._database(database) for database in old.databases),
        )

    def _released(self, one: Released) -> Released:
        return replace(one, repo=self._code(one.repo), author=self._people[one.author].id)

    def _database(self, database: Database) -> Database:
        applied = tuple(replace(one, script=self._code(one.script)) for one in database.applied)
        return replace(database, repo=self._code(database.repo), applied=applied)

    def _demo(self, demo: Demo) -> Demo:
        asked, person = demo.slack, self._people[demo.slack.person].id
        slack = Asking(self._code(asked.channel), person, self._prose(asked.text))
        page = replace(
            demo.page,
            person=self._people[demo.page.person].id,
            adds=self._prose(demo.page.adds),
            marked=self._prose(demo.page.marked),
        )
        person = self._people[demo.person].id
        return replace(demo, ticket=self._keys(demo.ticket), person=person, slack=slack, page=page)

    def _channel(self, channel: Channel) -> Channel:
        members = tuple(self._people[member].id for member in channel.members)
        return replace(channel, name=self._code(channel.name), members=members, purpose=self._prose(channel.purpose))

    # Texts

    def _keys(self, text: str) -> str:
        return self._key.sub(lambda m: f"{self._containers[m[1]]}-{int(m[2]) + self._offsets[m[1]]}", text)

    def _prose(self, text: str) -> str:
        return self._wording(self._quantities.prose(self._keys(text)))

    def _code(self, text: str) -> str:
        return self._wording(self._quantities.code(self._keys(text)))

    def _address(self, url: str) -> str:
        return self._code(url) if url.startswith(("repo:", "pull:")) else url

    def _label(self, label: str) -> str:
        """`jira:KEY:role:NAME` and `confluence:KEY` carry a key, `repo:NAME` a name."""
        kind, name, *rest = label.split(":")
        name = self._code(name) if kind == "repo" else self._containers.get(name, name)
        return ":".join([kind, name, *rest])

    # Records

    def _person(self, person: Person) -> Person:
        new = self._people[person.id]
        user, domain = new.email.split("@")
        return replace(new, email=f"{user}@{self._wording(domain)}")

    def _ids(self, members: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {name: tuple(self._people[person].id for person in people) for name, people in members.items()}

    def _project(self, project: Project) -> Project:
        return replace(
            project,
            key=self._containers[project.key],
            name=self._prose(project.name),
            roles=self._ids(project.roles),
            security_levels=self._ids(project.security_levels),
        )

    def _space(self, space: Space) -> Space:
        return replace(space, key=self._containers[space.key], name=self._prose(space.name))

    def _ticket(self, ticket: Ticket) -> Ticket:
        return replace(
            ticket,
            key=self._keys(ticket.key),
            summary=self._prose(ticket.summary),
            description=self._prose(ticket.description),
            reporter=self._people[ticket.reporter].id,
            assignee=ticket.assignee and self._people[ticket.assignee].id,
            parent=ticket.parent and self._keys(ticket.parent),
            fields={self._prose(name): self._prose(text) for name, text in ticket.fields.items()},
            comments=tuple(self._comment(comment) for comment in ticket.comments),
            history=tuple(self._change(change) for change in ticket.history),
            links=tuple(replace(link, key=self._keys(link.key)) for link in ticket.links),
            attachments=tuple(self._attachment(file) for file in ticket.attachments),
            remote_links=tuple(
                replace(link, title=self._prose(link.title), url=self._address(link.url))
                for link in ticket.remote_links
            ),
        )

    def _comment(self, comment: Comment) -> Comment:
        return replace(comment, author=self._people[comment.author].id, text=self._prose(comment.text))

    def _attachment(self, file: Attachment) -> Attachment:
        name, text = self._code(file.name), self._prose(file.text)
        return replace(file, name=name, author=self._people[file.author].id, text=text)

    def _change(self, change: Change) -> Change:
        system = change.field in _SYSTEM_FIELDS
        kept = change.field in {"status", "resolution"}
        return replace(
            change,
            author=self._people[change.author].id,
            field=change.field if system else self._prose(change.field),
            before=change.before if kept else self._prose(change.before),
            after=change.after if kept else self._prose(change.after),
        )

    def _page(self, page: Page) -> Page:
        versions = (
            replace(
                version,
                author=self._people[version.author].id,
                text=self._prose(version.text),
                message=self._prose(version.message),
            )
            for version in page.versions
        )
        return replace(
            page,
            space=self._containers[page.space],
            title=self._prose(page.title),
            versions=tuple(versions),
            users=tuple(self._people[user].id for user in page.users),
            comments=tuple(self._page_comment(comment) for comment in page.comments),
            attachments=tuple(self._attachment(file) for file in page.attachments),
        )

    def _page_comment(self, comment: PageComment) -> PageComment:
        author, text = self._people[comment.author].id, self._prose(comment.text)
        return replace(comment, author=author, text=text, marked=comment.marked and self._prose(comment.marked))

    def _repo(self, repo: Repo) -> Repo:
        return Repo(self._code(repo.name), tuple(self._commit(commit) for commit in repo.commits))

    def _commit(self, commit: Commit) -> Commit:
        return replace(
            commit,
            author=self._people[commit.author].id,
            message=self._prose(commit.message),
            files={self._code(path): text and self._file(path, text) for path, text in commit.files.items()},
            branch=self._code(commit.branch),
            merges=commit.merges and self._code(commit.merges),
        )

    def _pull(self, pull: Pull) -> Pull:
        return replace(
            pull,
            repo=self._code(pull.repo),
            title=self._prose(pull.title),
            description=self._prose(pull.description),
            author=self._people[pull.author].id,
            branch=self._code(pull.branch),
            base=self._code(pull.base),
            fork=pull.fork and self._people[pull.fork].id,
            commits=tuple(self._commit(commit) for commit in pull.commits),
        )

    def _file(self, path: str, text: str) -> str:
        return self._prose(text) if PurePosixPath(path).suffix in _PROSE else self._code(text)


def _people(people: tuple[Person, ...], random: Random) -> dict[str, Person]:
    """The new person by the old account id. A bot keeps its name, which is the product's."""
    new = {}
    for person, (first, last) in zip(people, names(random, len(people)), strict=True):
        account = "".join(random.choice("0123456789abcdef") if c in "0123456789abcdef" else c for c in person.id)
        domain = person.email.partition("@")[2]
        new[person.id] = (
            replace(person, id=account)
            if person.bot
            else replace(person, id=account, name=f"{first} {last}", email=f"{first}.{last}@{domain}".lower())
        )
    return new


def _replacements(people: tuple[Person, ...], new: Mapping[str, Person]) -> dict[str, str]:
    """Account ids as in mentions, whole names, first and last names."""
    fixed: dict[str, str] = {}
    for person in people:
        other = new[person.id]
        fixed |= {person.id: other.id, person.name: other.name}
        fixed |= dict(zip(person.name.split(), other.name.split(), strict=True))
    return fixed


def _containers(keys: list[str], random: Random) -> dict[str, str]:
    """New keys for projects and spaces; consonants alone spell no word that the texts could hold."""
    new: dict[str, str] = {}
    for key in keys:
        fresh = key
        while fresh in keys or fresh in new.values():
            fresh = "".join(random.sample(_CONSONANTS, random.randint(3, 4)))
        new[key] = fresh
    return new
