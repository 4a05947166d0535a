"""The planted set says what is true of its company: every quote stands where it is said to stand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.planted.load import OVERLAY, PARTS, QA, PlantedError, company, planted
from evals.planted.matching import plain, within
from evals.planted.types import CATEGORIES, Cite, Gap, Leave, Planted
from review.text import language_of
from sandbox.load import load_company
from sandbox.loading import FIRST_ISSUE
from sandbox.records import Company


@pytest.fixture(scope="module")
def skerryline(tmp_path_factory: pytest.TempPathFactory) -> Company:
    return company(tmp_path_factory.mktemp("planted") / "company")


@pytest.fixture(scope="module")
def parts(skerryline: Company) -> dict[str, tuple[Planted, ...]]:
    return {name: planted(path, skerryline) for name, path in PARTS.items()}


def texts(company: Company) -> Iterator[tuple[str, str]]:
    """Everything that can be cited, by the ids that the index gives it."""
    for at, ticket in enumerate(company.tickets):
        said = [ticket.summary, ticket.description, ticket.status, *ticket.fields.values()]
        yield f"jira:{FIRST_ISSUE + at}", "\n".join([*said, *(change.before for change in ticket.history)])
        yield f"jira:{FIRST_ISSUE + at}:comment", "\n".join(comment.text for comment in ticket.comments)
    yield from ((f"confluence:{page.id}", page.versions[-1].text) for page in company.pages)
    for repo in company.repos:
        for commit in repo.commits:
            yield from ((f"git:{repo.name}:{path}", text) for path, text in commit.files.items() if text is not None)
    for pull in company.pulls:
        files = [text for commit in pull.commits for text in commit.files.values() if text is not None]
        yield f"git:{pull.repo}!{pull.number}", "\n".join([pull.description, *files])
    yield from (("qa:gate", path.read_text("utf-8")) for path in QA.iterdir())


def cites(parts: dict[str, tuple[Planted, ...]]) -> Iterator[tuple[str, Cite]]:
    for tickets in parts.values():
        for ticket in tickets:
            planted_here: list[Gap | Leave] = [*ticket.gaps, *ticket.leaves]
            for one in planted_here:
                yield from ((f"{ticket.key}: {one.what}", cite) for cite in one.cites)


def test_every_quote_stands_in_one_of_the_documents_named_for_it(
    skerryline: Company, parts: dict[str, tuple[Planted, ...]]
) -> None:
    known = [(name, plain(text)) for name, text in texts(skerryline)]
    wrong = [
        f"{what}: {fragment!r} is not in {cite.documents}"
        for what, cite in cites(parts)
        for fragment in cite.quotes
        if not any(plain(fragment) in text for name, text in known for one in cite.documents if within(name, one))
    ]
    assert not wrong


def test_the_set_is_as_large_and_as_mixed_as_it_claims(
    skerryline: Company, parts: dict[str, tuple[Planted, ...]]
) -> None:
    opened, held = ([ticket.key for ticket in parts[name]] for name in ("open", "held"))
    assert len(opened) >= 24
    assert len(held) >= 16
    assert not set(opened) & set(held)
    tickets = [ticket for part in parts.values() for ticket in part]
    gaps = [gap for ticket in tickets for gap in ticket.gaps if gap.demanded]
    assert len(gaps) >= 40
    assert {category for gap in gaps for category in gap.categories} == set(CATEGORIES)
    assert sum(not any(gap.demanded for gap in ticket.gaps) for ticket in tickets) >= 6, "tickets without a gap"
    assert sum(leave.answered for ticket in tickets for leave in ticket.leaves) >= 8
    written = {ticket.key: f"{ticket.summary} {ticket.description}" for ticket in skerryline.tickets}
    assert sum(language_of(written[ticket.key]) == "de" for ticket in tickets) >= 4


def test_none_of_it_stands_in_the_sandbox_s_own_company(skerryline: Company) -> None:
    own = {ticket.key for ticket in load_company().tickets}
    added = {path.stem for path in (OVERLAY / "tickets").glob("*.toml")}
    assert not own & added
    assert own | added == {ticket.key for ticket in skerryline.tickets}


def test_what_a_set_gets_wrong_is_said(skerryline: Company, tmp_path: Path) -> None:
    def complaint(text: str) -> str:
        path = tmp_path / "set.toml"
        path.write_text(text, "utf-8")
        with pytest.raises(PlantedError) as caught:
            planted(path, skerryline)
        return str(caught.value)

    ticket = '[[ticket]]\nkey = "BKG-301"\nabout = "x"\n'
    gap = f'{ticket}[[ticket.gap]]\nwhat = "y"\n'
    assert "no ticket 'BKG-9'" in complaint('[[ticket]]\nkey = "BKG-9"\nabout = "x"')
    assert "cannot be read" in complaint("[[ticket")
    assert "'tickets'" in complaint("[[tickets]]")
    assert "cites nothing" in complaint(f"{gap}cites = []")
    assert "no category" in complaint(f'{gap}categories = ["opinion"]\ncites = [{{ in = ["jira"], quotes = [] }}]')
    assert "which is not in the company" in complaint(f'{gap}cites = [{{ in = ["confluence:1"], quotes = [] }}]')
    assert "means nothing there" in complaint(f'{gap}why = "z"\ncites = [{{ in = ["jira"], quotes = [] }}]')
    assert "without 'cites'" in complaint(gap)
    assert "neither a gap" in complaint(ticket)
    assert "nothing to review" in complaint("")
    assert "a [[ticket]] table of its own" in complaint('ticket = "BKG-301"')
    assert "whose 'key' is not text" in complaint("[[ticket]]\nkey = 301")
    assert "whose 'gap' is not tables" in complaint(f'{ticket}gap = "y"')
    assert "whose 'quotes' is not texts" in complaint(f'{gap}cites = [{{ in = ["jira"], quotes = [7] }}]')
    assert "larger than 1 MB" in complaint("#" * 1_000_001)
    assert "'BKG-301' twice" in complaint(f'{gap}cites = [{{ in = ["jira"], quotes = [] }}]\n' * 2)
    with pytest.raises(PlantedError, match="cannot be read"):
        planted(tmp_path / "none.toml", skerryline)


def test_an_overlay_replaces_nothing_of_the_company(tmp_path: Path) -> None:
    overlay = tmp_path / "overlay" / "tickets"
    overlay.mkdir(parents=True)
    (overlay / "BKG-142.toml").write_text("", "utf-8")
    with pytest.raises(PlantedError, match=r"BKG-142\.toml is in the sandbox's company already"):
        company(tmp_path / "company", tmp_path / "overlay")
