"""What runs joined with Git, for product owners."""

import pytest

from core.errors import BadQuery
from core.probes.deployments import Brought
from core.probes.standing import document_of, probe_of, whereabouts
from core.probes.types import Running
from core.types import Audience
from tests.core.probes.environments import READERS, START, Place


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_contained_by_an_abbreviated_commit_since_the_environments_own_word(place):
    work = place.origin.commit("SHOP-7 Lock accounts", {"a.py": "2\n"})
    runs = place.origin.commit("More", {"a.py": "3\n"})
    place.environment("staging", Running("2.1", runs[:9], since=START))
    one = place.standing(commit=work[:10])
    assert (one.contained, one.commit, one.version, one.since, one.first_seen) == ("yes", runs, "2.1", START, False)
    assert one.says == (
        f"Commit {work[:12]} of shop is on staging since 2026-04-01 08:00 UTC.",
        f"staging runs 2.1 (commit {runs[:12]}), as read on 2026-04-01 08:00 UTC.",
    )
    assert (one.between, one.unread, one.settled_by) == (None, "", "")
    assert one.url == "https://deploy.example/staging"
    assert one.labels == {"repo:shop"}
    assert all(sentence in one.evidence.text for sentence in one.says)
    assert len(one.says[0]) < 250


def test_what_stands_between_is_counted_and_the_newest_is_named(place):
    place.environment("production", place.first)
    commits = [place.origin.commit(f"SHOP-{n} Step {n}", {"a.py": f"step {n}\n"}) for n in range(7)]
    one = place.standing(commit=commits[5])
    assert one.contained == "no"
    assert one.between.count == 6
    assert [m.title for m in one.between.commits] == [f"SHOP-{n} Step {n}" for n in (5, 4, 3, 2, 1)]
    assert one.between.commits[0].tickets == ("SHOP-5",)
    assert one.between.commits[0].url == f"https://git.example/shop/{commits[5]}"
    assert one.says[0] == (
        f"Commit {commits[5][:12]} of shop is not on production yet: 6 commits stand between "
        "(“SHOP-5 Step 5”, “SHOP-4 Step 4”, “SHOP-3 Step 3”)."
    )


@pytest.mark.parametrize(("tag", "version"), [("v2.1", "2.1"), ("2.1", "v2.1"), ("v2.1", "v2.1"), ("rel/7", "rel/7")])
def test_a_version_is_a_tag_with_or_without_its_v(place, tag, version):
    work = place.origin.commit("Work", {"a.py": "2\n"})
    place.origin.git("tag", "-a", "-m", "made", tag)
    place.origin.commit("Later", {"a.py": "3\n"})
    place.environment("staging", Running(version))
    one = place.standing(commit=work)
    assert (one.contained, one.commit) == ("yes", work)


def test_a_dirty_build_is_said_to_be_one(place):
    work = place.origin.commit("Work", {"a.py": "2\n"})
    place.environment("staging", Running("v1.0-1-dirty", work[:8], dirty=True))
    one = place.standing(commit=work)
    assert one.contained == "yes"
    assert "It was built with changes that are in no commit, so what else staging runs is not known." in one.says


@pytest.mark.parametrize(
    ("running", "why"),
    [
        (Running(""), "it does not say which version runs there"),
        (Running("9.9"), "it says that it runs 9.9, which Git does not know here"),
        (Running("", "f" * 40), "Git does not know here"),
        (Running("v1.*"), "Git does not know here"),
        (Running("--all"), "Git does not know here"),
        (Running("HEAD"), "Git does not know here"),
        (Running("main"), "Git does not know here"),
    ],
)
def test_an_unknown_version_is_said(place, running, why):
    place.environment("staging", running)
    place.origin.git("tag", "v1.0")
    one = place.standing(commit=place.first)
    assert one.contained == "unknown"
    assert why in one.says[0]
    assert one.says[0].startswith(f"Whether commit {place.first[:12]} of shop is on staging is not known: ")
    assert one.settled_by.endswith(".")


def test_nothing_runs_there(place):
    place.environment("staging")
    one = place.standing(commit=place.first)
    assert one.contained == "unknown"
    assert one.says[0].endswith("is not known: nothing runs there.")


def test_a_tag_that_is_another_commit_than_told(place):
    place.origin.git("tag", "v1.0")
    work = place.origin.commit("Work", {"a.py": "2\n"})
    place.environment("staging", Running("1.0", work))
    one = place.standing(commit=work)
    assert one.contained == "yes"
    assert one.says[-1] == "The tag 1.0 is another commit than the one that staging says it runs."


def test_instances_that_differ(place):
    work = place.origin.commit("Work", {"a.py": "2\n"})
    place.environment("staging", Running("", work, 2, where="pod b"), Running("", place.first, 1, where="pod a"))
    one = place.standing(commit=work)
    assert one.contained == "partly"
    assert one.says[0].endswith("is partly on staging: 2 of 3 instances have it.")
    assert one.between.count == 1
    assert "Not all instances on staging run the same." in one.says
    assert "in pod a (1 instance)" in one.says[1]


def test_instances_of_which_one_is_unknown_are_not_guessed(place):
    work = place.origin.commit("Work", {"a.py": "2\n"})
    place.environment("staging", Running("", work), Running("odd"))
    one = place.standing(commit=work)
    assert one.contained == "unknown"
    assert one.settled_by


def test_since_when_is_first_seen_where_the_environment_does_not_say_it(place):
    work = place.origin.commit("Work", {"a.py": "2\n"})
    probe = place.environment("staging", place.first)
    place.standing()
    place.clock.tick()
    probe.running = (Running("", work),)
    place.standing()
    place.clock.tick()
    probe.running = (Running("", place.origin.commit("Later", {"a.py": "3\n"})),)
    one = place.standing(commit=work)
    assert (one.contained, one.first_seen, one.since.hour) == ("yes", True, 9)
    assert one.says[0].endswith("is on staging; it was first seen there on 2026-04-01 09:00 UTC.")


def test_a_version_that_was_set_back(place):
    work = place.origin.commit("SHOP-7 Work", {"a.py": "2\n"})
    place.origin.git("tag", "v2")
    probe = place.environment("production", Running("v2"))
    place.standing()
    place.clock.tick()
    probe.running = (Running("", place.first),)
    one = place.standing(commit=work)
    assert (one.contained, one.left) == ("no", START)
    assert one.says[0].endswith("is not on production any more: it was last seen there on 2026-04-01 08:00 UTC.")
    assert "production was set back: v2, which is newer, was seen there until 2026-04-01 08:00 UTC." in one.says
    assert whereabouts([one]) == "not on production any more"


def test_another_line_of_work(place):
    place.origin.branch("hotfix", place.first)
    hotfix = place.origin.commit("Hotfix", {"b.py": "1\n"})
    place.origin.go("main")
    work = place.origin.commit("Work", {"a.py": "2\n"})
    probe = place.environment("production", work)
    place.standing()
    place.clock.tick()
    probe.running = (Running("", hotfix),)
    one = place.standing(commit=place.first)
    assert one.contained == "yes"
    assert one.since == START
    assert any("it comes from another line of work" in sentence for sentence in one.says)
    assert len(one.says[0]) < 250


def test_a_cherry_picked_commit_counts_as_there(place):
    work = place.origin.commit("Work", {"b.py": "1\n"})
    place.origin.branch("release", place.first)
    place.origin.git("cherry-pick", work)
    place.origin.git("commit", "--amend", "--quiet", "--message", "Work, again")
    picked = place.origin.git("rev-parse", "HEAD")
    place.environment("production", picked)
    one = place.standing(commit=work)
    assert one.contained == "yes"
    assert f"It is there as a commit with the same changes: {picked[:12]} “Work, again”." in one.says


def test_git_itself_says_where_a_commit_was_cherry_picked_from(place):
    work = place.origin.commit("Work", {"a.py": "2\nmore\n"})
    place.origin.branch("release", place.first)
    place.origin.git("cherry-pick", "-x", work)
    place.origin.commit("Fitted", {"a.py": "2\n"})
    place.environment("production", place.origin.git("rev-parse", "HEAD"))
    assert place.standing(commit=work).contained == "yes"


def test_of_a_ticket_a_cherry_picked_part_counts_as_there(place):
    first = place.origin.commit("SHOP-7 One", {"b.py": "1\n"})
    place.origin.commit("SHOP-7 Two", {"c.py": "1\n"})
    place.origin.branch("release", place.first)
    place.origin.git("cherry-pick", first)
    place.environment("production", place.origin.git("rev-parse", "HEAD"))
    place.origin.go("main")
    one = place.standing(ticket="SHOP-7")
    assert one.contained == "partly"
    assert "1 of its 2 commits is not there." in one.says


def test_work_that_was_taken_back_is_said_to_be_until_that_is_taken_back_too(place):
    work = place.origin.commit("SHOP-7 Work", {"a.py": "2\n"})
    place.origin.git("revert", "--no-edit", work)
    reverting = place.origin.git("rev-parse", "HEAD")
    probe = place.environment("staging", reverting)
    undone = place.standing(commit=work)
    assert undone.contained == "yes"
    assert undone.remarks == (f'A later commit there undoes it: {reverting[:12]} “Revert "SHOP-7 Work"”.',)
    place.origin.git("revert", "--no-edit", reverting)
    probe.running = (Running("", place.origin.git("rev-parse", "HEAD")),)
    assert not any("undoes" in one for one in place.standing(commit=work).says)


def test_a_commit_of_a_branch_that_was_squashed_is_not_guessed(place):
    place.origin.branch("side")
    work = place.origin.commit("SHOP-7 wip", {"a.py": "2\n", "b.py": "1\n"})
    place.origin.go("main")
    place.origin.made += 5
    squashed = place.origin.commit("SHOP-7 Lock accounts (#7)", {"a.py": "2\n", "c.py": "1\n"})
    place.environment("staging", squashed)
    one = place.standing(commit=work)
    assert one.contained == "unknown"
    assert f"one that names SHOP-7 too is: {squashed[:12]} “SHOP-7 Lock accounts (#7)”." in " ".join(one.says)
    assert one.settled_by == "Somebody who compares the two commits."


def test_of_a_merged_commit_another_of_its_ticket_proves_nothing(place):
    first = place.origin.commit("SHOP-7 One", {"a.py": "2\n"})
    second = place.origin.commit("SHOP-7 Two", {"a.py": "3\n"})
    place.environment("staging", first)
    assert place.standing(commit=second).contained == "no"


def test_a_ticket_is_the_merged_commits_that_name_it(place):
    place.origin.branch("side")
    place.origin.commit("SHOP-7 Draft of it", {"d.py": "1\n"})
    place.origin.go("main")
    first = place.origin.commit("SHOP-7 One", {"a.py": "2\n"})
    second = place.origin.commit("shop-7: two", {"a.py": "3\n"})
    place.origin.commit("SHOP-70 Other", {"a.py": "4\n"})
    place.environment("staging", second)
    place.environment("production", first)
    place.environment("old", place.first)
    place.mirror.fetch()
    state = place.deployments().state(READERS, ticket="shop-7")
    assert [one.contained for one in state.standings] == ["yes", "partly", "no"]
    assert "1 of its 2 commits is not there." in state.standings[1].says
    assert "1 further commit on another branch of shop names SHOP-7." in state.standings[0].says
    assert [m.title for m in state.standings[1].between.commits] == ["shop-7: two"]
    since = "(first seen there on 2026-04-01 08:00 UTC)"
    assert whereabouts(state.standings) == f"on staging {since}, partly on production, not on old yet"


def test_a_branch_that_runs_before_it_is_merged(place):
    place.origin.branch("side")
    work = place.origin.commit("SHOP-7 Work", {"a.py": "2\n"})
    place.origin.go("main")
    place.environment("test", work)
    one = place.standing(ticket="SHOP-7")
    assert one.contained == "yes"
    assert "No commit that names SHOP-7 has been merged in shop." in one.says


def test_what_nobody_knows_is_a_note(place):
    place.environment("staging", place.first)
    place.mirror.fetch()
    deployments = place.deployments()
    assert deployments.state(READERS, ticket="NO-1").notes == ("The work of NO-1 was not found in shop.",)
    assert deployments.state(READERS, commit="f" * 12).notes == ("Commit ffffffffffff was not found in shop.",)
    assert deployments.state(READERS, repo="other").notes == ("No environment is known that runs other.",)
    none = deployments.state(READERS, environment="moon")
    assert none.notes == ("No environment is called moon. Known are: staging.",)


@pytest.mark.parametrize(
    "asked",
    [{"commit": "--all"}, {"commit": "abc"}, {"ticket": "no key"}, {"pull": 7}, {"commit": "a" * 8, "ticket": "A-1"}],
)
def test_what_cannot_be_asked(place, asked):
    with pytest.raises(BadQuery):
        place.deployments().state(READERS, **asked)


def test_a_pull_request_by_the_commit_that_brought_it(place):
    class Merges:
        def merge_of(self, repo, number):
            return {("shop", 7): work}.get((repo, number))

    work = place.origin.commit("Merged", {"a.py": "2\n"})
    head = place.origin.commit("Proposed", {"b.py": "2\n"})
    place.origin.git("update-ref", "refs/pull/8/head", head)
    place.origin.git("reset", "--quiet", "--hard", work)
    place.environment("staging", place.first)
    place.mirror.fetch_pull(8, "refs/pull/8/head")
    deployments = place.deployments(merges=Merges())
    merged, proposed, unknown = (deployments.state(READERS, repo="shop", pull=n) for n in (7, 8, 9))
    assert merged.standings[0].says[0].startswith("Pull request 7 of shop is not on staging yet: 1 commit stands")
    assert "Pull request 8 of shop is not known to be merged." in proposed.standings[0].says
    assert unknown.notes == ("Pull request 9 was not found in shop.",)


def test_asked_for_nothing_the_newest_state_is_told(place):
    place.origin.commit("Work", {"a.py": "2\n"})
    place.environment("staging", place.first)
    one = place.standing(environment="Staging")
    assert one.says[0] == "The newest state of main in shop is not on staging yet: 1 commit stands between (“Work”)."


def test_a_hidden_environment_is_answered_like_one_that_is_not_there(place):
    place.origin.commit("SHOP-7 Work", {"a.py": "2\n"})
    place.environment("staging", place.first, labels=frozenset({"repo:shop"}))
    place.mirror.fetch()
    without = place.deployments()
    hidden = place.environment("secret", place.first, labels=frozenset({"ops"}))
    foreign = place.environment("open", place.first, labels=frozenset({"org"}), repo="hidden")
    both = place.deployments()
    for asked in ({}, {"ticket": "SHOP-7"}, {"environment": "secret"}, {"environment": "open"}, {"repo": "hidden"}):
        assert both.state(READERS, **asked) == without.state(READERS, **asked)
    assert both.environments(READERS) == ("staging",)
    assert (hidden.reads, foreign.reads) == (0, 0)
    assert both.state(Audience(frozenset({"ops", "repo:shop"})), environment="secret").standings
    assert both.labels("secret") == {"ops", "repo:shop"}
    assert both.labels("none") is None
    assert probe_of(document_of("secret")) == "secret"
    assert probe_of("git:shop!7") is None


def test_a_repository_that_is_not_there_is_said(place):
    place.environment("staging", place.first)
    (one,) = place.deployments().state(READERS, ticket="SHOP-7").standings  # never fetched
    assert one.contained == "unknown"
    assert one.says[0].startswith("Whether the work of SHOP-7 in shop is on staging is not known: its repository")
    place.environment("foreign", "1" * 40, repo="other", labels=frozenset({"org"}))
    wide = Audience(READERS.labels | {"repo:other"})
    (other,) = place.deployments().state(wide, environment="foreign").standings
    assert other.says[0].endswith("is not known: its repository is not read here.")
    assert other.says[1].startswith("foreign runs commit 111111111111, as read on")


def test_several_pull_requests_are_asked_in_one_reading(place):
    work = place.origin.commit("Work", {"a.py": "2\n"})
    probe = place.environment("staging", place.first)
    place.mirror.fetch()
    brought = [Brought("shop", place.first, "Pull request 1 of shop"), Brought("shop", work, "Pull request 2 of shop")]
    first, second = place.deployments(fresh=60).of_commits([*brought], READERS)
    assert [first[0].contained, second[0].contained] == ["yes", "no"]
    assert probe.reads == 1
    (unknown,), none = place.deployments().of_commits(
        [Brought("shop", "1" * 40, "It"), Brought("x", work, "It")], READERS
    )
    assert (unknown.contained, none) == ("unknown", ())


def test_titles_and_versions_of_strangers_are_one_harmless_line(place):
    place.origin.commit("Evil\u202e <!channel> \x07title" + "x" * 5_000, {"a.py": "2\n"})
    place.environment("staging", Running("<b>\n1\u202e", place.first, notes=("1 of 2\nis not ready.",)))
    one = place.standing()
    assert not any("\n" in sentence or "\u202e" in sentence or "\x07" in sentence for sentence in one.says)
    assert len(one.says[0]) < 250


def test_probes_that_read_the_same_environment_are_told_apart(place):
    work = place.origin.commit("Work", {"a.py": "2\n"})
    place.environment("pods", work, environment="staging")
    place.environment("page", place.first, environment="staging")
    place.environment("production", place.first)
    place.mirror.fetch()
    told = [one.says[0] for one in place.deployments().state(READERS, commit=work).standings]
    name = f"Commit {work[:12]} of shop"
    assert told[0].startswith(f"{name} is on staging (pods)")
    assert told[1].startswith(f"{name} is not on staging (page) yet")
    assert told[2].startswith(f"{name} is not on production yet")
