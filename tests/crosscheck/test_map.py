"""The map: what stands where, who may see it, and the two files, one of them opened in a real browser."""

import json
import re
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import BytesIO
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from core.embedders import Embedders
from core.embedding.base import Encoded
from core.embedding.sparse import Bm25, SparseVector
from core.embedding.static import StaticEmbedder
from core.store.base import Passage, Point
from core.store.edge import EdgeStore
from core.types import Audience
from crosscheck.errors import CrosscheckError
from crosscheck.map_data import asked, every_point, map_data
from crosscheck.map_files import write
from crosscheck.map_look import look
from crosscheck.map_page import page
from crosscheck.map_picture import picture
from crosscheck.map_projection import WORDS, Item, positions
from crosscheck.map_sample import sample
from tests.conftest import missing
from tests.sandbox.test_browser import CHROMIUM, DRIVER, FLAGS

EVERYBODY = Audience(frozenset({"org", "repo:shop"}))
STATIC = Embedders.same(StaticEmbedder())
NASTY = "</script><img src=x onerror=\"document.title='x'\"> 'q' & <!-- \u202etxt.exe\u202c \u2028"
LOCKING = [
    f"{who} {does} {what} {when}."
    for who, does, what, when in product(
        ("The account", "A user's login"),
        ("is locked", "gets blocked"),
        ("by five wrong passwords", "because the password failed"),
        ("for thirty minutes", "until an administrator unlocks it", "and a mail is sent"),
    )
]
SHIPPING = [
    f"{who} {does} {what} {when}."
    for who, does, what, when in product(
        ("The parcel", "An order's package"),
        ("is delivered", "gets shipped"),
        ("by the courier from the warehouse", "to the customer's address"),
        ("with free postage above fifty euros", "within two working days", "and tracked by its number"),
    )
]


def point(number, text, source="wiki", labels=("org",), embedders=STATIC, **more):
    passage = Passage(
        document_id=f"{source}:{number}",
        ordinal=0,
        source=source,
        kind=more.pop("kind", "page"),
        title=more.pop("title", f"Title {number}"),
        url=more.pop("url", f"https://wiki.example/{number}"),
        text=text,
        context="Space > Page",
        labels=frozenset(labels),
        updated=datetime(2026, 1, 1, tzinfo=UTC),
        **more,
    )
    encoded = embedders.of("code" if passage.kind == "code" else "documents").embed([text])
    terms = encoded.terms[0] if encoded.terms else Bm25(20).document(text)
    return Point(passage, encoded.dense[0], encoded.dense[0], terms, terms)


@pytest.fixture(scope="module")
def points():
    """Two topics, each in a source of its own."""
    locking = [point(n, text, "wiki") for n, text in enumerate(LOCKING)]
    shipping = [point(n, text, "backend", ["repo:shop"], kind="code", line=n + 1) for n, text in enumerate(SHIPPING)]
    return [*locking, *shipping]


@pytest.fixture(scope="module")
def question(points):
    return asked("why is my account locked", [points[3].id, points[0].id, points[30].id], STATIC)


@pytest.fixture(scope="module")
def data(points, question):
    return map_data(points, EVERYBODY, STATIC, question)


def item(text):
    return Item({"static": STATIC.documents.embed([text]).dense[0]}, {WORDS: Bm25(20).document(text)})


def spots(data, source):
    return np.array([(p["x"], p["y"]) for p in data["points"] if data["sources"][p["source"]]["name"] == source])


def distances(placed):
    apart = np.linalg.norm(placed[:, None] - placed[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return apart


# Where things stand


def test_topics_stand_apart(data):
    placed = np.vstack([spots(data, "wiki"), spots(data, "backend")])
    nearest = distances(placed).argmin(axis=1)
    topic = np.arange(len(placed)) < len(LOCKING)
    assert (topic[nearest] == topic).all()
    middles = [placed[topic].mean(axis=0), placed[~topic].mean(axis=0)]
    spread = max(placed[topic].std(), placed[~topic].std())
    assert np.linalg.norm(middles[0] - middles[1]) > spread


def test_a_question_stands_in_its_topic(data):
    at = np.array((data["question"]["x"], data["question"]["y"]))
    nearest = {name: np.linalg.norm(spots(data, name) - at, axis=1).min() for name in ("wiki", "backend")}
    assert nearest["wiki"] < nearest["backend"]


def test_near_duplicates_stand_together():
    texts = [*LOCKING, *SHIPPING, LOCKING[5].replace("The ", "The same "), SHIPPING[7] + " Yes."]
    apart = distances(positions([item(text) for text in texts]))
    for twin, original in ((len(texts) - 2, 5), (len(texts) - 1, len(LOCKING) + 7)):
        assert apart[twin, original] <= np.sort(apart[twin])[3]


def test_the_same_points_in_any_order_make_the_same_map(points, question, data):
    assert map_data(reversed(points), EVERYBODY, STATIC, question) == data


ITEMS = st.lists(
    st.builds(
        Item,
        st.fixed_dictionaries({"a": arrays(np.float32, 4, elements=st.sampled_from([0.0, 1.0, -0.5, 3.0]))}),
        st.dictionaries(
            st.sampled_from([WORDS, "learned"]),
            st.sampled_from([((), ()), ((0,), (1.0,)), ((0, 2**32 - 1), (0.5, 2.0))]).map(lambda v: SparseVector(*v)),
        ),
    ),
    max_size=16,
)


@settings(max_examples=40, deadline=None)
@given(ITEMS)
def test_whatever_is_placed_stands_inside_the_square(items):
    placed = positions(items)
    assert placed.shape == (len(items), 2)
    assert np.isfinite(placed).all()
    assert ((placed >= -1e-6) & (placed <= 1 + 1e-6)).all()


class Learned:
    """An embedder of another size that weighs its own terms."""

    name, size, learned_terms = "learned", 3, True

    def embed(self, texts, side="passage"):
        del side
        return Encoded(np.ones((len(texts), 3), np.float32), (SparseVector((1, 2), (0.5, 0.25)),) * len(texts))


def test_collections_of_two_embedders_share_a_map():
    both = Embedders(STATIC.documents, Learned())
    pages = [point(n, text) for n, text in enumerate(LOCKING)]
    code = [point(n, text, "backend", kind="code", embedders=both) for n, text in enumerate(SHIPPING)]
    question = asked("account locked", [], both)
    made = map_data([*pages, *code], EVERYBODY, both, question)
    at = np.array((made["question"]["x"], made["question"]["y"]))
    assert np.ptp(spots(made, "backend"), axis=0).max() < np.ptp(spots(made, "wiki"), axis=0).max()
    assert np.isfinite(at).all()


def test_points_come_from_the_index(tmp_path, points, data, question):
    store = EdgeStore.open(tmp_path / "index", STATIC, reserve=0)
    store.upsert(points)
    again = map_data(every_point(store), EVERYBODY, STATIC, question)
    store.close()
    assert [p["title"] for p in again["points"]] == [p["title"] for p in data["points"]]
    assert again["question"] is not None


# Which passages are drawn

BARE = point(0, "x")


def bare(source, number):
    return replace(BARE, passage=replace(BARE.passage, source=source, document_id=f"{source}:{number}"))


@given(st.data(), st.dictionaries(st.sampled_from("abcd"), st.integers(1, 12), min_size=1), st.integers(1, 30))
def test_sources_get_equal_shares_in_any_order(drawn, sizes, limit):
    everything = [bare(source, n) for source, size in sizes.items() for n in range(size)]
    wanted = {p.id for p in drawn.draw(st.lists(st.sampled_from([*everything, bare("gone", 1)]), max_size=limit))}
    chosen = sample(drawn.draw(st.permutations(everything)), wanted, limit)

    assert chosen == sample(everything, wanted, limit)
    assert chosen.totals == sizes
    assert wanted & {p.id for p in everything} <= set(chosen.points)
    rest = Counter(p.passage.source for key, p in chosen.points.items() if key not in wanted)
    left_out = Counter(p.passage.source for p in everything if p.id not in chosen.points)
    assert sum(rest.values()) <= limit - len(wanted)
    assert not left_out or sum(rest.values()) == limit - len(wanted)
    assert all(rest[short] >= rest[other] - 1 for short in left_out for other in rest)


# Who may see it


def test_what_is_hidden_leaves_no_trace(points, question, data):
    secret = [
        point(n, f"Hush {text}", "vault", ["org", "secret"], title=f"Hush {n}") for n, text in enumerate(SHIPPING)
    ]
    hit = replace(question, hits=(*question.hits, secret[0].id))
    assert map_data([*secret, *points], EVERYBODY, STATIC, hit) == data
    narrow = map_data(points, Audience(frozenset({"org"})), STATIC, question)
    assert [source["name"] for source in narrow["sources"]] == ["wiki"]
    assert {p["hit"] for p in narrow["points"]} == {None, 1, 2}


def test_hidden_and_empty_are_answered_alike(points):
    said = []
    for some in (points, []):
        with pytest.raises(CrosscheckError) as refused:
            map_data(some, Audience(frozenset({"other"})), STATIC)
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_more_than_fits_is_said(points, question):
    reports = []
    few = map_data(points, EVERYBODY, STATIC, question, reports.append, most=12)
    assert len(few["points"]) == 12
    assert few["total"] == len(points)
    assert sorted(p["hit"] for p in few["points"] if p["hit"]) == [1, 2, 3]
    assert "12 of 48 passages" in page(few)
    assert "a fixed draw" in page(few)
    assert reports[-1] == {"step": "map", "done": 3, "total": 3}


def test_one_passage_is_a_map_too():
    made = map_data([point(0, "alone")], EVERYBODY, STATIC)
    assert (made["points"][0]["x"], made["points"][0]["y"]) == (0.5, 0.5)
    assert picture(made)


# The files


@pytest.fixture(scope="module")
def nasty(points):
    """Titles, places and addresses from strangers."""
    bad = point(99, LOCKING[0], NASTY, title=NASTY, heading=NASTY, url="javascript:document.title='x'")
    question = asked(f"account locked {NASTY} $x^2$ 錠", [bad.id], STATIC)
    return map_data([*points, bad], EVERYBODY, STATIC, question)


class Page(HTMLParser):
    """Which elements there are, and what is in the scripts."""

    def __init__(self, text):
        super().__init__()
        self.names, self.scripts, self.policy, self._open = Counter(), [], "", False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names[tag] += 1
        self._open = tag == "script"
        if dict(attrs).get("http-equiv"):
            self.policy = dict(attrs)["content"]

    def handle_data(self, data):
        if self._open:
            self.scripts.append(data)

    def handle_endtag(self, tag):
        self._open = False


def test_nothing_from_outside_is_more_than_text_in_the_page(nasty):
    text = page(nasty)
    read = Page(text)
    assert read.names["script"] == 2
    assert read.names["img"] == 0
    assert "default-src 'none'" in read.policy
    assert "unsafe" not in read.policy
    shown = next(p for p in json.loads(read.scripts[0])["points"] if p["hit"])
    assert shown["url"] == ""
    assert shown["title"].startswith("</script><img src=x onerror=")
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u2028]", text)


def test_the_picture_shows_the_sources(data):
    drawn = Image.open(BytesIO(picture(data)))
    assert (drawn.format, drawn.size) == ("PNG", (1600, 1200))
    there = {colour for _, colour in drawn.convert("RGB").getcolors(2**24)}
    for number in range(len(data["sources"])):
        colour = look(number).colour
        assert tuple(bytes.fromhex(colour[1:])) in there
    assert picture(data) == picture(data)


def test_the_picture_of_odd_names_and_many_sources(nasty):
    many = [{"name": f"source {n} $\\frac$ 錠 " + "w" * 200, "drawn": 1, "total": 1} for n in range(70)]
    assert picture({**nasty, "sources": [*nasty["sources"], *many]})


def test_every_source_looks_its_own():
    assert len({look(number) for number in range(56)}) == 56


@pytest.mark.parametrize("name", ["map.html", "map.png", "map"])
def test_both_files_are_written(tmp_path, data, name):
    report = write(data, tmp_path / name)
    assert report.page == tmp_path / "map.html"
    assert report.picture == tmp_path / "map.png"
    assert report.page.read_text("utf-8") == page(data)
    assert report.picture.read_bytes().startswith(b"\x89PNG")
    assert (report.drawn, report.total) == (48, 48)


def test_missing_packages_are_named():
    script = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from crosscheck.map_projection import check_installed\n"
        "check_installed()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "CrosscheckError" in done.stderr
    assert "crosscheck[map]" in done.stderr


# In a browser


@contextmanager
def opened(path: Path, *, dark=False, size=(1200, 800)):
    if not (CHROMIUM.exists() and DRIVER.exists()):
        missing("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    try:
        width, height = size
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        driver.get(path.as_uri())
        yield driver
        own = "rendering"  # advice about this test's own reading of pixels
        assert [entry for entry in driver.get_log("browser") if entry["source"] != own] == []
        assert asked_for(driver) == {"file"}
    finally:
        driver.quit()


def asked_for(driver):
    """The schemes of all that the page asked for; data: addresses are in the page."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return {url.partition(":")[0] for url in urls} - {"data"}


def ink(driver):
    """How much of the canvas is not its ground."""
    return driver.execute_script(
        "const c = document.getElementById('map'); let n = 0;"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n"
    )


def settle(driver):
    driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")


def find(driver, selector):
    return driver.find_element(By.CSS_SELECTOR, selector)


def test_a_person_reads_the_map(tmp_path, data):
    with opened(write(data, tmp_path / "map").page) as driver:
        settle(driver)
        canvas, card = find(driver, "#map"), find(driver, "#card")
        assert find(driver, "h1").text == "why is my account locked"
        assert [row.text for row in driver.find_elements(By.CSS_SELECTOR, "#legend li")] == ["backend\n24", "wiki\n24"]
        hits = driver.find_elements(By.CSS_SELECTOR, "#hits button")
        assert [hit.text.split("\n")[0] for hit in hits] == ["1", "2", "3"]
        assert not card.is_displayed()

        hits[0].click()  # puts it in the middle and keeps its card open
        assert "Title 3\npage in wiki, hit 1\nSpace > Page\nOpen" in card.text
        assert find(driver, "#card a").get_attribute("href") == "https://wiki.example/3"
        canvas.send_keys(Keys.ESCAPE)
        assert not card.is_displayed()
        for key in ("+", "+", Keys.ARROW_LEFT, Keys.ARROW_RIGHT):
            canvas.send_keys(key)
        ActionChains(driver).move_to_element(canvas).perform()
        assert card.text == "Title 3\npage in wiki, hit 1\nSpace > Page"
        ActionChains(driver).move_to_element(find(driver, "h1")).perform()
        assert not card.is_displayed()

        canvas.send_keys("0")
        settle(driver)
        before = ink(driver)
        legend = driver.find_elements(By.CSS_SELECTOR, "#legend button")[1]
        legend.send_keys(Keys.SPACE)
        settle(driver)
        assert legend.get_attribute("aria-pressed") == "false"
        assert ink(driver) < before * 0.8
        assert [hit.is_enabled() for hit in hits] == [False, False, True]
        legend.send_keys(Keys.ENTER)
        settle(driver)
        assert ink(driver) == before


def test_zooming_by_wheel_and_dragging(tmp_path, data):
    with opened(write(data, tmp_path / "map").page) as driver:
        canvas, card = find(driver, "#map"), find(driver, "#card")
        settle(driver)
        whole = ink(driver)
        find(driver, "#hits button").click()
        settle(driver)
        there, near = card.location, ink(driver)
        ActionChains(driver).scroll_from_origin(ScrollOrigin.from_element(canvas), 0, -300).perform()
        settle(driver)
        assert ink(driver) != near
        assert card.location == there  # the passage under the mouse stays where it is
        ActionChains(driver).move_to_element_with_offset(canvas, -200, -200).click_and_hold().move_by_offset(
            -50, 30
        ).release().perform()
        settle(driver)
        assert (card.location["x"], card.location["y"]) == (there["x"] - 50, there["y"] + 30)
        canvas.send_keys(Keys.ESCAPE)
        find(driver, "[aria-label='Show all']").click()
        settle(driver)
        assert ink(driver) == whole


def test_on_a_phone_in_the_dark(tmp_path, data):
    with opened(write(data, tmp_path / "map").page, dark=True, size=(390, 844)) as driver:
        settle(driver)
        wider = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert driver.execute_script(wider) <= 0
        ground = find(driver, "body").value_of_css_property("background-color")
        assert max(int(part) for part in re.findall(r"\d+", ground)[:3]) < 60
        assert ink(driver) > 1_000
        assert min(row.size["height"] for row in driver.find_elements(By.CSS_SELECTOR, "aside button")) >= 44


def test_nothing_from_outside_runs(tmp_path, nasty):
    with opened(write(nasty, tmp_path / "map").page) as driver:
        find(driver, "#hits button").click()
        assert "</script><img src=x onerror=" in find(driver, "#card strong").text
        assert driver.find_elements(By.CSS_SELECTOR, "#card a, img") == []
        assert driver.title.startswith("account locked </script>")
