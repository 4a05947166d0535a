"""Law: every document has one label for each independent restriction above it, at all times and by both products."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import visibility
from core.connectors.base import Missed
from core.parsing.parsed import Parsed
from sandbox.records import Page, PageVersion
from tests.core.connectors.confluence_parts import connector
from tests.sandbox_fixtures import DEVELOPER, OWNER, T

SPACES = ("POL", "LED")
GROUPS = ("engineering", "leads")
USERS = (OWNER.id, DEVELOPER.id)
FIRST = 601
restrictions = st.tuples(
    st.lists(st.sampled_from(GROUPS), unique=True, max_size=2),
    st.lists(st.sampled_from(USERS), unique=True, max_size=2),
)
trees = st.lists(st.tuples(st.integers(0, 20), st.sampled_from(SPACES), restrictions), min_size=1, max_size=8)
changes = st.lists(st.tuples(st.integers(0, 7), restrictions), max_size=3)


@pytest.fixture(params=["cloud", "data center"])
def flavour(request):
    return request.param


@pytest.fixture
def wiki(box, flavour):
    return connector(box, flavour, SPACES, read=lambda name, _data: Parsed(name))


def plant(box, tree):
    """A forest: each page stands below an earlier one of its space, or at the top, with a comment and a file."""
    confluence = box.confluence
    with confluence.lock:
        for page in list(confluence.pages):
            confluence.purge(page)
    for at, (above, space, (groups, users)) in enumerate(tree):
        earlier = [str(FIRST + other) for other in range(at) if tree[other][1] == space]
        parent = earlier[above % len(earlier)] if earlier and above % 4 else None
        version = PageVersion(T, OWNER.id, f"Text {at}.")
        number = str(FIRST + at)
        confluence.add_page(
            Page(number, space, f"Page {at}", (version,), parent, groups=tuple(groups), users=tuple(users))
        )
        confluence.notes.add(number, "Said.", OWNER.id, marked="Text" if at % 2 else None)
        confluence.files.add(number, "file.txt", b"x", OWNER.id)


def truth(box, flavour):
    """By document: the space, and the restrictions of the page and of all pages above it."""
    confluence = box.confluence
    found = {}
    for page in confluence.pages.values():
        labels = {visibility.confluence_space(page.space)}
        for one in (page, *confluence.ancestors(page)):
            users = [user if flavour == "cloud" else f"key-{user}" for user in one.users]
            labels |= {visibility.restriction(one.groups, users)} if one.restricted else set()
        found[f"confluence:{page.id}"] = labels
        own = [f"comment:{note.id}" for note in confluence.notes if note.page == page.id]
        own += [f"attachment:{file.id}" for file in confluence.files.on(page.id)]
        found |= {f"confluence:{page.id}:{name}": labels for name in own}
    return found


def test_one_label_for_each_independent_restriction(box, wiki, flavour):
    @settings(max_examples=12, deadline=None)
    @given(trees, changes)
    def law(tree, changes):
        plant(box, tree)
        expected = truth(box, flavour)
        assert {document.id: document.labels for document in wiki.load()} == expected
        for at, (groups, users) in changes:
            box.confluence.restrict(str(FIRST + at % len(tree)), groups=tuple(groups), users=tuple(users))
            expected = truth(box, flavour)
            assert wiki.labels_now(expected) == expected
            assert wiki.labels_now(list(expected)[:3]) == dict(list(expected.items())[:3])

    law()


def test_labels_of_many_documents_cost_few_requests(box):
    pages = 40
    plant(box, [(1, "POL", ([], []))] * pages)
    wiki = connector(box, "cloud", SPACES, read=lambda name, _data: Parsed(name))
    ids = sorted(wiki.ids())
    assert len(ids) == 3 * pages
    box.exchanges.clear()
    assert None not in wiki.labels_now(ids).values()
    asked = [exchange.path for exchange in box.exchanges.all()]
    assert len([path for path in asked if "restriction" in path]) == pages
    assert len([path for path in asked if "restriction" not in path]) == 5  # spaces, pages, comments twice, files


def test_what_is_gone_or_elsewhere_has_no_labels(box, wiki):
    plant(box, [(0, "POL", ([], [])), (0, "LED", ([], []))])
    note, other = (note.id for note in box.confluence.notes if note.page in {"601", "602"})
    (file,) = (file.id for file in box.confluence.files.on("601"))
    ids = [
        f"confluence:601:comment:{note}",
        f"confluence:601:comment:{other}",  # of another page
        f"confluence:601:attachment:{file}",
        f"confluence:602:attachment:{file}",
        "confluence:601:comment:99999999",
        "confluence:601:attachment:att99999999",
        "confluence:601:comment:../x",
        "confluence:601:history",
    ]
    mine = {visibility.confluence_space("POL")}
    assert wiki.labels_now(ids) == dict(zip(ids, [mine, None, mine, None, None, None, None, None], strict=True))
    padded = [*ids, *(f"confluence:601:comment:{number}" for number in range(70_000, 70_030))]
    assert {key: labels for key, labels in wiki.labels_now(padded).items() if labels} == {ids[0]: mine, ids[2]: mine}
    box.confluence.notes.remove(note)
    box.confluence.files.remove(file)
    assert set(wiki.labels_now(ids).values()) == {None}


def test_a_page_whose_ancestor_moves_below_a_restricted_one_while_it_is_read_is_closed(box, flavour):
    """It has been listed by then, and its text is not read yet."""
    confluence = box.confluence
    with confluence.lock:
        confluence.add_page(Page("701", "POL", "Area", (PageVersion(T, OWNER.id, "Area."),)))
        confluence.add_page(Page("702", "POL", "Child", (PageVersion(T, OWNER.id, "The price."),), "701"))
        confluence.add_page(Page("703", "POL", "Board", (PageVersion(T, OWNER.id, "Board."),), groups=("leads",)))
    wiki = connector(box, flavour, SPACES)
    listing = wiki._listing(body=True)
    confluence.move("701", parent="703")
    documents = {d.id: d for d in wiki._documents(listing, listing.fingerprints(), Missed("pages"))}
    live = wiki.labels_now(["confluence:702"])
    assert documents["confluence:702"].labels == live["confluence:702"]
    assert len(documents["confluence:702"].labels) == 2
