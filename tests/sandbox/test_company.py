"""The make-believe company is whole: everything it refers to exists, and its histories and dates fit together."""

import re
import shutil
import subprocess
from collections import Counter, defaultdict
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path, PurePosixPath

import pytest

import sandbox
from core import visibility
from sandbox.load import CompanyError, load_company, value_of
from sandbox.records import Comment, Commit, Company, Page, Ticket
from sandbox.repos import build

RULES = {
    "acceptance-criteria",
    "undecided",
    "unanswered-question",
    "changed-after-agreement",
    "policy-conflict",
    "linked-ticket",
    "earlier-bug",
}
END = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def company() -> Company:
    return load_company()


def by_key(company: Company) -> dict[str, Ticket]:
    return {ticket.key: ticket for ticket in company.tickets}


def project_of(key: str) -> str:
    return key.partition("-")[0]


def texts(company: Company) -> list[tuple[str, str]]:
    """Everything that people wrote, with where it stands."""
    found = []
    for ticket in company.tickets:
        written = [ticket.summary, ticket.description, *ticket.fields.values(), *(c.text for c in ticket.comments)]
        written += [text for change in ticket.history for text in (change.before, change.after)]
        written += [text for file in ticket.attachments for text in (file.name, file.text)]
        found += [(f"ticket {ticket.key}", text) for text in written]
    for page in company.pages:
        written = [page.title, *(v.text + v.message for v in page.versions), *(c.text for c in page.comments)]
        written += [text for file in page.attachments for text in (file.name, file.text)]
        found += [(f"page {page.id}", text) for text in written]
    for repo in company.repos:
        for commit in repo.commits + proposed(company, repo.name):
            written = [commit.message, *(text for text in commit.files.values() if text), *commit.files]
            found += [(f"repo {repo.name}", text) for text in written]
    for pull in company.pulls:
        found += [(f"pull {pull.repo} {pull.number}", text) for text in (pull.title, pull.branch, pull.description)]
    return found


def proposed(company: Company, repo: str) -> tuple[Commit, ...]:
    """The commits that pull requests bring themselves."""
    return tuple(commit for pull in company.pulls if pull.repo == repo for commit in pull.commits)


def test_it_has_the_size_that_it_says(company):
    assert 40 <= len(company.tickets) <= 50
    assert [project.service_desk for project in company.projects].count(True) == 1
    assert len(company.projects) == 3
    assert len(company.pages) == 25
    assert len(company.spaces) == 4
    assert len(company.repos) == 2
    assert all(10 <= len(repo.commits) <= 30 for repo in company.repos)


def test_keys_and_ids_are_unique(company):
    for names in (
        [ticket.key for ticket in company.tickets],
        [page.id for page in company.pages],
        [(page.space, page.title) for page in company.pages],
        [person.id for person in company.people],
        [person.email for person in company.people],
    ):
        assert [name for name, count in Counter(names).items() if count > 1] == []


def test_people_roles_groups_and_levels_exist(company):
    people = {person.id for person in company.people}
    groups = {group for person in company.people for group in person.groups}
    projects = {project.key: project for project in company.projects}
    for project in company.projects:
        members = [*project.roles.values(), *project.security_levels.values()]
        assert {person for names in members for person in names} <= people
    for ticket in company.tickets:
        project = projects[project_of(ticket.key)]
        assert ticket.security is None or ticket.security in project.security_levels
        assert {c.role for c in ticket.comments} - {None} <= set(project.roles)
        assert {c.group for c in ticket.comments} - {None} <= groups
        assert project.service_desk or not any(c.internal for c in ticket.comments)
    for holder in [*company.spaces, *company.pages]:
        assert set(holder.groups) <= groups


def test_customers_are_seen_in_the_service_desk_only(company):
    customers = {person.id for person in company.people if person.customer}
    desks = {project.key for project in company.projects if project.service_desk}
    for ticket in company.tickets:
        involved = {ticket.reporter, *(c.author for c in ticket.comments), *(c.author for c in ticket.history)}
        assert not involved & customers or project_of(ticket.key) in desks, ticket.key
        assert not any(c.internal or c.role or c.group for c in ticket.comments if c.author in customers)


def test_links_lead_to_something(company):
    tickets, pages = by_key(company), {page.id: page for page in company.pages}
    main = {f"{repo.name}/{path}" for repo in company.repos for commit in repo.commits for path in commit.files}
    for ticket in company.tickets:
        assert {link.key for link in ticket.links} | ({ticket.parent} - {None}) <= set(tickets) - {ticket.key}
        for link in ticket.remote_links:
            kind, _, target = link.url.partition(":")
            assert target in (pages if kind == "page" else main), f"{ticket.key}: {link.url}"
            if kind == "page":
                assert link.title == pages[target].title
    for page in company.pages:
        assert page.parent is None or pages[page.parent].space == page.space
    for where, text in texts(company):
        assert set(re.findall(r"\]\(page:(\w+)", text)) <= set(pages), where
        assert set(re.findall(r"\]\(ticket:([\w-]+)", text)) <= set(tickets), where


def test_every_ticket_that_is_named_exists(company):
    projects = "|".join(project.key for project in company.projects)
    named = {key for _, text in texts(company) for key in re.findall(rf"\b(?:{projects})-\d+\b", text)}
    assert named <= set(by_key(company))
    commits = " ".join(commit.message for repo in company.repos for commit in repo.commits)
    assert len(set(re.findall(rf"\b(?:{projects})-\d+\b", commits))) >= 8


def test_mentions_name_somebody(company):
    people = {person.id for person in company.people}
    mentioned = {name for _, text in texts(company) for name in re.findall(r"@\[([^\]]+)\]", text)}
    assert mentioned
    assert mentioned <= people


def test_tickets_dates_fit(company):
    created = defaultdict(list)
    for ticket in company.tickets:
        moments = [*(c.at for c in ticket.comments), *(c.at for c in ticket.history)]
        assert all(ticket.created < moment < END for moment in moments), ticket.key
        assert ticket.updated == max([ticket.created, *moments])
        assert [c.at for c in ticket.comments] == sorted(c.at for c in ticket.comments), ticket.key
        created[project_of(ticket.key)].append(ticket.created)
    assert all(moments == sorted(moments) for moments in created.values())
    for ticket in company.tickets:
        if ticket.parent:
            assert by_key(company)[ticket.parent].created < ticket.created


def test_pages_and_commits_dates_fit(company):
    for page in company.pages:
        moments = [version.at for version in page.versions]
        assert moments == sorted(moments)
        assert moments[-1] < END
    for repo in company.repos:
        assert all(a.at < b.at < END for a, b in pairwise(repo.commits)), repo.name


def test_a_history_leads_to_what_the_ticket_says_now(company):
    names = {person.id: person.name for person in company.people}
    for ticket in company.tickets:
        assert [c.at for c in ticket.history] == sorted(c.at for c in ticket.history)
        fields = defaultdict(list)
        for change in ticket.history:
            assert change.before != change.after, f"{ticket.key}: {change.field} did not change"
            fields[change.field].append(change)
        for name, changes in fields.items():
            assert all(a.after == b.before for a, b in pairwise(changes))
            assert changes[-1].after == value_of(ticket, name, names)


def test_statuses_and_resolutions_agree(company):
    for ticket in company.tickets:
        done = company.categories[ticket.status] == "done"
        assert done == (ticket.resolution is not None), ticket.key
        statuses = [change for change in ticket.history if change.field == "status"]
        assert {c.before for c in statuses} | {c.after for c in statuses} <= set(company.categories)
        if done:
            resolved = [change for change in ticket.history if change.field == "resolution"]
            assert [change.at for change in resolved] == [statuses[-1].at], ticket.key


def test_truth_has_catches_and_look_alikes_for_every_rule(company):
    rows = Counter((row.rule, row.verdict) for row in company.truth)
    wanted = {(rule, verdict) for rule in RULES for verdict in ("catch", "leave")}
    assert wanted <= set(rows)
    assert min(rows[one] for one in wanted) >= 2
    assert {row.ticket for row in company.truth} <= set(by_key(company))
    assert max(Counter((row.rule, row.ticket) for row in company.truth).values()) == 1


@pytest.mark.parametrize(
    ("key", "in_ticket", "page", "in_page", "agree"),
    [
        ("BKG-142", "After 8 failed sign-in attempts", "7001", "after 5 failed sign-in attempts", False),
        ("BKG-148", "keeps its seats for 10 minutes", "7013", "keeps its seats for 15 minutes", False),
        ("BKG-150", "refund is paid within 30 days", "7003", "refund is paid within 14 days", False),
        ("BKG-153", "up to 25 MB", "7006", "up to 10 MB", False),
        ("BKG-160", "kept for 90 days", "7005", "kept for 30 days", False),
        ("GATE-52", "offline for up to 24 hours", "7008", "offline for up to 12 hours", False),
        ("GATE-59", "at most 5 text messages", "7012", "at most 3 text messages", False),
        ("BKG-143", "after 5 failed sign-in attempts", "7001", "after 5 failed sign-in attempts", True),
        ("BKG-145", "works for 1 day", "7001", "works for 24 hours", True),
        ("BKG-134", "until 2 days before departure", "7003", "until 48 hours before departure", True),
        ("BKG-147", "valid for 2 years", "7009", "valid for 24 months", True),
        ("BKG-161", "after 90 days", "7005", "Server logs are deleted after 90 days", True),
        ("BKG-170", "120 requests a minute", "7007", "120 requests a minute", True),
        ("BKG-174", "from 9 to 12 passengers", "7011", "up to 9 passengers", True),
        ("GATE-61", "closes 20 minutes before departure", "7008", "closes 20 minutes before departure", True),
        ("GATE-62", "After 3 wrong PINs", "7008", "after 3 wrong PINs", True),
    ],
)
def test_planted_numbers_are_there(company, key, in_ticket, page, in_page, agree):
    ticket, policy = by_key(company)[key], next(p for p in company.pages if p.id == page)
    assert in_ticket in f"{ticket.summary}\n{ticket.description}"
    assert in_page in policy.versions[-1].text
    assert not policy.archived
    verdicts = {row.ticket: row.verdict for row in company.truth if row.rule == "policy-conflict"}
    assert verdicts[key] == ("leave" if agree else "catch")


def test_linked_tickets_are_as_the_truth_says(company):
    tickets = by_key(company)
    rejected = {key for key, ticket in tickets.items() if ticket.resolution in {"Won't Do", "Declined"}}
    caught = {ticket.key for ticket in company.tickets if ticket.parent in rejected}
    for ticket in company.tickets:
        for link in ticket.links:
            if link.type == "Blocks" and company.categories[ticket.status] != "done":
                caught.add(link.key)
            if link.type == "Relates" and link.key in rejected:
                caught.add(ticket.key)
    assert caught == {r.ticket for r in company.truth if (r.rule, r.verdict) == ("linked-ticket", "catch")}


def test_criteria_are_missing_where_the_truth_says_so(company):
    stated = re.compile(
        "acceptance criteria|expected|definition of done|done when|^given ", re.IGNORECASE | re.MULTILINE
    )
    without = {
        ticket.key
        for ticket in company.tickets
        if not any(
            stated.search(text)
            for text in [ticket.description, *ticket.fields, *(comment.text for comment in ticket.comments)]
        )
    }
    assert without == {r.ticket for r in company.truth if (r.rule, r.verdict) == ("acceptance-criteria", "catch")}


def test_questions_stand_only_where_the_truth_knows_them(company):
    asked = {ticket.key for ticket in company.tickets if any("?" in comment.text for comment in ticket.comments)}
    assert asked == {row.ticket for row in company.truth if row.rule == "unanswered-question"}


def test_the_demo_ticket_is_full_of_faults(company):
    demo = company.demo
    project = next(p for p in company.projects if p.key == project_of(demo.ticket))
    bot = next(person.id for person in company.people if person.bot)
    assert {demo.person, bot} <= set(project.roles[demo.role])
    caught = {row.rule for row in company.truth if (row.ticket, row.verdict) == (demo.ticket, "catch")}
    assert 4 <= len(caught) <= 6
    assert "policy-conflict" in caught


def labels_of_comment(ticket: Ticket, comment: Comment) -> set[str]:
    project = project_of(ticket.key)
    return (
        labels_of_ticket(ticket)
        | ({visibility.jira_role(project, comment.role)} if comment.role else set())
        | ({visibility.jira_group(comment.group)} if comment.group else set())
        | ({visibility.INTERNAL} if comment.internal else set())
    )


def labels_of_ticket(ticket: Ticket) -> set[str]:
    project = project_of(ticket.key)
    return {visibility.jira_project(project)} | (
        {visibility.jira_security(project, ticket.security)} if ticket.security else set()
    )


def labels_of_page(company: Company, page: Page) -> set[str]:
    pages = {page.id: page for page in company.pages}
    labels = {visibility.confluence_space(page.space)}
    at: Page | None = page
    while at:
        if at.groups or at.users:
            labels.add(visibility.restriction(at.groups, at.users))
        at = pages[at.parent] if at.parent else None
    return labels


def holders(company: Company, word: str) -> list[tuple[str, set[str]]]:
    """The documents that hold the word, with the labels that a reader needs."""
    found = []
    for ticket in company.tickets:
        body = [ticket.summary, ticket.description, *ticket.fields.values()]
        body += [text for change in ticket.history for text in (change.before, change.after)]
        if any(word in text for text in body):
            found.append((f"ticket {ticket.key}", labels_of_ticket(ticket)))
        found += [(f"ticket {ticket.key}", labels_of_comment(ticket, c)) for c in ticket.comments if word in c.text]
    for page in company.pages:
        if any(word in text for text in [page.title, *(v.text for v in page.versions)]):
            found.append((f"page {page.id}", labels_of_page(company, page)))
    return found + [(where, set()) for where, text in texts(company) if where.startswith("repo ") and word in text]


def test_a_marker_stands_in_one_restricted_place(company):
    assert len(company.markers) >= 8
    for marker in company.markers:
        assert holders(company, marker.word) == [(marker.where, set(marker.labels))], marker.word
        assert not set(marker.labels) <= set(company.open_to_all)


def test_every_restriction_is_watched_by_a_marker(company):
    watched = {frozenset(marker.labels) for marker in company.markers}
    for ticket in company.tickets:
        for comment in ticket.comments:
            if comment.role or comment.group:
                assert frozenset(labels_of_comment(ticket, comment)) in watched, ticket.key
    assert {frozenset({visibility.confluence_space(s.key)}) for s in company.spaces if s.groups} <= watched


def test_open_to_all_is_what_nobody_restricted(company):
    expected = [visibility.jira_project(project.key) for project in company.projects]
    expected += [visibility.confluence_space(space.key) for space in company.spaces if not space.groups]
    expected += [visibility.repository(repo.name) for repo in company.repos]
    assert sorted(company.open_to_all) == sorted(expected)


def test_orders_to_the_reader_are_there_also_invisibly(company):
    hidden = [where for where, text in texts(company) if re.search("[\U000e0020-\U000e007e]", text)]
    assert {where.partition(" ")[0] for where in hidden} == {"ticket", "page"}


def git(path: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=path, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def built(company, tmp_path_factory) -> dict[str, Path]:
    return build(company, tmp_path_factory.mktemp("repos"))


def test_repositories_are_sound_and_the_same_every_time(company, built, tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "Pacific/Chatham")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    again = build(company, tmp_path)
    monkeypatch.delenv("GIT_DIR")
    for repo in company.repos:
        git(built[repo.name], "fsck", "--strict", "--no-dangling")
        assert git(built[repo.name], "show-ref") == git(again[repo.name], "show-ref")
        count = len(repo.commits) + len(proposed(company, repo.name))
        assert git(built[repo.name], "rev-list", "--all", "--count").strip() == str(count)


def test_merged_branches_are_in_main_and_gone(company, built):
    for repo in company.repos:
        path = built[repo.name]
        merged = {commit.merges for commit in repo.commits} - {None}
        branches = {commit.branch for commit in repo.commits}
        assert len(git(path, "rev-list", "--merges", "main").split()) == len(merged) >= 2
        branches |= {p.branch for p in company.pulls if p.repo == repo.name and p.state == "open" and not p.fork}
        assert set(git(path, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").split()) == branches - merged
        assert branches - merged > {"main"}
        newest = {}
        for commit in repo.commits:
            if commit.branch in merged | {"main"}:
                newest |= commit.files
        for name, text in newest.items():
            assert git(path, "show", f"main:{name}") == text


def test_commits_have_their_authors_and_dates(company, built):
    people = {person.id: person for person in company.people}
    for repo in company.repos:
        log = git(built[repo.name], "log", "--all", "--format=%an <%ae> %at %ct").splitlines()
        expected = [
            f"{people[c.author].name} <{people[c.author].email}> {int(c.at.timestamp())} {int(c.at.timestamp())}"
            for c in repo.commits + proposed(company, repo.name)
        ]
        assert sorted(log) == sorted(expected)


def test_the_python_of_the_company_compiles(company):
    for repo in company.repos:
        for commit in repo.commits + proposed(company, repo.name):
            for path, text in commit.files.items():
                if text and PurePosixPath(path).suffix == ".py":
                    compile(text, path, "exec")


def test_a_repository_is_not_built_over_another(company, built):
    with pytest.raises(FileExistsError):
        build(company, built["gate-app"].parent)


@pytest.fixture
def copy(tmp_path) -> Path:
    return Path(shutil.copytree(Path(sandbox.__file__).parent / "company", tmp_path / "company"))


def test_a_company_can_be_read_from_elsewhere(company, copy):
    assert load_company(copy) == company


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("tickets/BKG-142.toml", 'by = "Ewa Nowicka"', 'by = "Ewa Nobody"', "BKG-142.toml: nobody is called"),
        ("tickets/BKG-142.toml", "@[Luca Ferretti]", "@[Luca]", "BKG-142.toml: nobody is called 'Luca'"),
        ("demo.toml", 'role = "Product owners"', "role =", "demo.toml: "),
    ],
)
def test_a_fault_in_a_file_is_told_with_its_name(copy, file, old, new, told):
    path = copy / file
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(CompanyError, match=re.escape(told)):
        load_company(copy)


def test_pull_requests_fit_their_repositories(company, built):
    people = {person.id for person in company.people}
    tips = {repo.name: {commit.at: commit for commit in repo.commits} for repo in company.repos}
    assert len({(pull.repo, pull.number) for pull in company.pulls}) == len(company.pulls) >= 8
    assert {pull.state for pull in company.pulls} == {"open", "draft", "merged", "closed"}
    for pull in company.pulls:
        assert {pull.author, pull.fork or pull.author} <= people
        assert (pull.closed is None) == (pull.state in {"open", "draft"})
        assert pull.created <= pull.updated < END
        assert [commit.at for commit in pull.commits] == sorted(commit.at for commit in pull.commits)
        head = git(built[pull.repo], "rev-parse", f"refs/pull/{pull.number}/head").strip()
        if pull.state == "merged":
            into = tips[pull.repo][pull.closed]
            assert (into.merges is None) == pull.squashed
            assert pull.squashed or into.merges == pull.branch
            commit = git(built[pull.repo], "log", "--format=%H", f"--grep=^{re.escape(into.message)}$", "main").strip()
            diffs = [git(built[pull.repo], "diff", f"{commit}^1", other, "--", *into.files) for other in (commit, head)]
            assert diffs[0] == diffs[1]


def test_a_squashed_pull_request_left_what_it_proposed(company, built):
    for pull in company.pulls:
        if pull.squashed:
            into = next(c for repo in company.repos for c in repo.commits if c.at == pull.closed)
            for path, text in into.files.items():
                assert git(built[pull.repo], "show", f"refs/pull/{pull.number}/head:{path}") == text
