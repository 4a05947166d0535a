"""Which pull requests belong to a ticket, and what is asked and said on the way."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from core.mirror import Mirror
from core.pulls.finding import BY_ADDRESS, BY_BRANCH, BY_COMMIT, BY_NAME, BY_PANEL, WAYS, Finder
from core.pulls.hosts.make import make_host
from core.pulls.naming import names
from core.pulls.repository import Repository
from core.pulls.types import PullRef
from core.tickets import Comment, Field, Person, RemoteLink, Ticket
from core.types import Audience, Locator
from tests.core.connectors.git_origin import Origin

T = datetime(2026, 3, 2, 9, tzinfo=UTC)
ALL = Audience(frozenset({"jira:BKG", "repo:web", "repo:booking", "repo:secret"}))
FEW = Audience(frozenset({"jira:BKG", "repo:web"}))
PULL = "https://github.com/acme/web/pull/7"
LATER = 1e12


@dataclass
class AskedHost:
    """Reads addresses as GitHub does; the rest is as told. `asked` is all that it was asked."""

    named: tuple = ()
    brought: dict = field(default_factory=dict)
    error: Exception | None = None
    asked: list = field(default_factory=list)

    def with_text(self, repo, project, text):
        self._ask("text", repo, project, text)
        return [PullRef(repo, number) for number in self.named]

    def with_commit(self, repo, project, commit):
        self._ask("commit", repo, project, commit)
        return [PullRef(repo, number) for number in self.brought.get(commit, ())]

    def in_address(self, address, projects):
        return make_host("github", "https://github.com", token="t").in_address(address, projects)

    def _ask(self, *question):
        self.asked.append(question)
        if self.error:
            raise self.error


class NoMirror:
    """A mirror in which nothing names a ticket."""

    def branches(self):
        return []

    def commits_saying(self, word, limit):
        return []


def ticket(**facts):
    made = Ticket(
        "1", "BKG-142", "BKG", "Hold", "", "Story", "Open", False, None, None, None, T, T,
        frozenset({"jira:BKG"}), Locator("jira:1", "BKG-142 Hold", "https://jira.example/browse/BKG-142"),
    )  # fmt: skip
    return replace(made, **facts)


def comment(text):
    where = Locator("jira:1:comment:2", "BKG-142", "https://jira.example/browse/BKG-142")
    return Comment("2", Person("a", "Anna"), T, T, text, (), frozenset({"jira:BKG"}), where)


def repository(name, host=None, mirror=None, project=""):
    labels = frozenset({f"repo:{name}"})
    return Repository(name, project or f"acme/{name}", labels, host or AskedHost(), mirror or NoMirror(), "main")


def find(seen, *repositories, audience=ALL, most=8, projects=("BKG",), until=LATER):
    finder = Finder(repositories, projects, most=most, clock=lambda: 1000.0)
    return finder.find(seen, audience, until)


def refs(found):
    return [candidate.ref for candidate in found.found]


@pytest.mark.parametrize(
    "facts",
    [
        {"description": f"See {PULL}."},
        {"description": f"See [the change]({PULL}/files)."},
        {"description": f"<{PULL}#discussion_r1>, please"},
        {"description": f"`{PULL}`"},
        {"description": f"**{PULL}**"},
        {"fields": (Field("customfield_1", "Review", f"{PULL}, {PULL}/commits"),)},
        {"comments": (comment(f"({PULL})"),)},
        {"remote_links": (RemoteLink("The change", f"{PULL}/"),)},
    ],
)
def test_addresses_in_all_parts_of_a_ticket(facts):
    found = find(ticket(**facts), repository("web"))
    assert [(it.ref, it.ways) for it in found.found] == [(PullRef("web", 7), (BY_ADDRESS,))]
    assert found.gaps == ()


def test_the_same_one_found_in_five_ways_is_one(tmp_path):
    origin = Origin(tmp_path / "origin")
    origin.commit("First", {"a": "1"})
    origin.branch("feature/bkg-142-hold")
    said = origin.commit("Hold (BKG-142)", {"a": "2"})
    tip = origin.commit("More", {"a": "3"})
    origin.branch("feature/BKG-1421-other", "main")
    origin.commit("BKG-1421: other", {"a": "4"})
    mirror = Mirror(tmp_path / "mirror", str(origin.folder))
    mirror.fetch()
    host = AskedHost((7,), {said: [7], tip: [7]})
    seen = ticket(description=PULL, pull_addresses=(PULL,))
    found = find(seen, repository("web", host, mirror))
    assert [(it.ref, it.ways) for it in found.found] == [(PullRef("web", 7), WAYS)]
    assert {question[3] for question in host.asked} == {"BKG-142", said, tip}


@given(st.lists(st.sampled_from([0, 1, 2, 3, 4]), min_size=1, unique=True), st.lists(st.integers(1, 5), min_size=1))
def test_one_candidate_a_pull_request_however_often_it_is_found(ways, numbers):
    text = " ".join(f"https://github.com/acme/web/pull/{number}/files" for number in numbers)
    panel = tuple(f"https://github.com/acme/web/pull/{number}#top" for number in numbers)
    mirror = NoMirror()
    if 4 in ways:
        mirror.commits_saying = lambda word, limit: ["c" * 40]
    host = AskedHost(tuple(numbers) if 2 in ways else (), {"c" * 40: numbers})
    seen = ticket(description=text if 0 in ways else "", pull_addresses=panel if 1 in ways else ())
    found = find(seen, repository("web", host, mirror))
    given_ways = tuple(way for way in (BY_ADDRESS, BY_PANEL, BY_NAME, None, BY_COMMIT) if way)
    wanted = tuple(way for way in given_ways if {BY_ADDRESS: 0, BY_PANEL: 1, BY_NAME: 2, BY_COMMIT: 4}[way] in ways)
    expected = sorted(set(numbers), reverse=True) if wanted else []
    assert refs(found) == [PullRef("web", number) for number in expected]
    assert {it.ways for it in found.found} <= {wanted}


def test_the_surest_and_newest_come_first_and_the_rest_is_counted():
    host = AskedHost(tuple(range(10, 20)))
    found = find(ticket(description=PULL), repository("web", host), most=3)
    assert refs(found) == [PullRef("web", 7), PullRef("web", 19), PullRef("web", 18)]
    assert [gap.what for gap in found.gaps] == [
        "Only the 3 surest pull requests of this ticket were read; not read: 8 more."
    ]


def test_other_hosts_and_repositories_are_said_without_a_name():
    text = (
        f"https://evil.example/acme/web/pull/1 https://github.com/acme/other/pull/2 {PULL} https://github.com/acme/web"
    )
    found = find(ticket(description=text), repository("web"))
    assert refs(found) == [PullRef("web", 7)]
    assert len(found.gaps) == 1
    assert "2 links" in found.gaps[0].what
    assert "acme" not in repr(found.gaps)
    assert "example" not in repr(found.gaps)


def test_what_the_audience_may_not_read_is_neither_asked_nor_named():
    hidden = AskedHost((1,))
    seen = ticket(description="https://github.com/acme/secret/pull/3")
    found = find(seen, repository("web"), repository("secret", hidden), audience=FEW)
    same = find(seen, repository("web"), audience=FEW)
    assert hidden.asked == []
    assert found == same
    assert "secret" not in repr(found)
    assert refs(find(seen, repository("secret"))) == [PullRef("secret", 3)]


def test_what_only_the_panel_knows_of_a_hidden_repository_is_not_told():
    seen = ticket(pull_addresses=("https://github.com/acme/secret/pull/3",))
    found = find(seen, repository("web"), repository("secret"), audience=FEW)
    assert (found.found, found.gaps) == ((), ())
    assert "1 link " in find(seen, repository("web"), audience=FEW).gaps[0].what


def test_tickets_of_other_projects_are_not_looked_for_by_name():
    host = AskedHost((1,))
    found = find(ticket(description=PULL), repository("web", host), projects=("PAY",))
    assert refs(found) == [PullRef("web", 7)]
    assert host.asked == []


@pytest.mark.parametrize(
    "error", [SourceForbidden("no s3cret"), SourceGone("no"), SourceUnavailable("no"), SourceIncomplete("no")]
)
def test_a_host_in_trouble_is_a_gap_and_costs_no_other(error):
    found = find(ticket(), repository("web", AskedHost(error=error)), repository("booking", AskedHost((3,))))
    assert refs(found) == [PullRef("booking", 3)]
    assert ["web" in gap.what for gap in found.gaps] == [True]
    assert "s3cret" not in repr(found.gaps)


def test_a_mirror_that_was_never_fetched_is_a_gap(tmp_path):
    mirror = Mirror(tmp_path / "mirror", str(tmp_path / "origin"))
    found = find(ticket(), repository("web", AskedHost((3,)), mirror))
    assert refs(found) == [PullRef("web", 3)]
    assert ["branches" in gap.what for gap in found.gaps] == [True]


def test_when_the_time_is_over_nothing_more_is_asked():
    host = AskedHost((1,))
    found = find(ticket(description=PULL), repository("web", host), until=1.0)
    assert refs(found) == [PullRef("web", 7)]
    assert host.asked == []
    assert "time was over" in found.gaps[0].what


def test_a_bounded_number_of_commits_is_asked_for(tmp_path):
    origin = Origin(tmp_path / "origin")
    origin.commit("First", {"a": "1"})
    for number in range(12):
        origin.branch(f"BKG-142-{number}", "main")
        origin.commit(f"BKG-142 try {number}", {"a": str(number)})
    mirror = Mirror(tmp_path / "mirror", str(origin.folder))
    mirror.fetch()
    host = AskedHost()
    find(ticket(), repository("web", host, mirror))
    assert len([question for question in host.asked if question[0] == "commit"]) <= 8


def test_ways_are_told_apart(tmp_path):
    origin = Origin(tmp_path / "origin")
    said = origin.commit("bkg-142: first", {"a": "1"})
    origin.branch("x/BKG-142")
    tip = origin.commit("Other", {"a": "2"})
    mirror = Mirror(tmp_path / "mirror", str(origin.folder))
    mirror.fetch()
    found = find(ticket(), repository("web", AskedHost((), {said: [1], tip: [2]}), mirror))
    assert {it.ref.number: it.ways for it in found.found} == {1: (BY_COMMIT,), 2: (BY_BRANCH,)}


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("feature/BKG-142-x", True),
        ("bkg-142", True),
        ("feature_BKG-142_x", True),
        ("(BKG-142)", True),
        ("BKG-1421", False),
        ("XBKG-142", False),
        ("BKG-142b", False),
        ("BKG142", False),
        ("", False),
    ],
)
def test_names(text, is_named):
    assert names(text, "BKG-142") == is_named
