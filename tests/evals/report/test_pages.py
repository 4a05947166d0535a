"""The page as people see it in a browser: wide and narrow, light and dark, and on paper."""

import base64
from io import BytesIO

import pypdfium2
import pytest
from PIL import Image

from evals.report.write import write_report
from tests.crosscheck.console.browser.chromium import person
from tests.evals.report import made

SCREENS = [(1280, False), (1280, True), (360, False), (360, True)]
STYLED = "1 styles or scripts stand in the page"
"""Its one style, which the page's policy names by its digest."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory, figures):
    """Folders of reports by what they show."""
    home, (now, then) = tmp_path_factory.mktemp("reports"), made.runs(figures)
    write_report(now, then, home / "all")
    write_report(made.runs(())[0], None, home / "alone")
    write_report(made.hostile(), made.hostile(), home / "hostile")
    write_report(made.run([]), None, home / "empty")
    return home


@pytest.fixture(scope="module")
def known(pages):
    with person(pages.as_uri()) as somebody:
        yield somebody


@pytest.fixture
def visitor(known):
    known.size(1280)
    known.light()
    known.open("/all/index.html")
    known.said()
    return known


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_no_page_has_a_fault(visitor, width, dark):
    visitor.size(width)
    visitor.light(dark=dark)
    found = {}
    for name in ("all", "alone", "hostile", "empty"):
        visitor.open(f"/{name}/index.html")
        found[name] = visitor.faults()
    assert found == {name: [STYLED] for name in found}


def test_nothing_is_asked_of_anybody(visitor):
    asked = visitor.driver.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert [address[:60] for address in asked if not address.startswith("data:")] == []
    assert visitor.said() == []


def test_no_script_runs_in_it(visitor):
    visitor.driver.execute_script(
        "const script = document.createElement('script'); script.textContent = 'window.ran = true';"
        "document.body.append(script)"
    )
    assert not visitor.driver.execute_script("return window.ran")
    assert any("Content Security Policy" in line for line in visitor.said())


def test_hostile_words_are_words(visitor):
    visitor.open("/hostile/index.html")
    assert "<script>document.title" in visitor.find("h1").text
    assert visitor.driver.title.startswith("Evaluation of <script>")
    assert not visitor.all("script")
    assert visitor.said() == []


def test_what_got_worse_is_red_and_is_seen_first(visitor):
    worse = visitor.find("#worse ~ .scroll tr.worse th")
    assert worse.text.startswith("▼ worse: recall@5")
    red, green, blue = (int(part) for part in worse.value_of_css_property("color")[5:].split(",")[:3])
    assert red > 2 * max(green, blue)
    assert visitor.find("h2").text == "Worse beyond noise"
    assert worse.location["y"] < 900


def test_every_plot_is_drawn_and_says_what_it_shows(visitor):
    images = visitor.all("img")
    assert len(images) == 10
    for image in images:
        assert int(image.get_property("naturalWidth")) > 300
        assert len(image.get_attribute("alt")) > 30
    assert len(visitor.all("svg.flow .way.kept")) == 10


def test_plots_are_light_on_dark_where_dark_is_preferred(visitor):
    shades = {}
    for dark in (False, True):
        visitor.light(dark=dark)
        visitor.open("/all/index.html")
        drawn = Image.open(BytesIO(visitor.find("img.shares").screenshot_as_png)).convert("L")
        shades[dark] = drawn.getextrema(), drawn.getpixel((2, 2))
    (darkest, _), ground = shades[False]
    assert (darkest < 60, ground > 240) == (True, True)
    (_, lightest), ground = shades[True]
    assert (lightest > 200, ground < 40) == (True, True)


def test_a_candidates_row_leads_to_its_line(visitor):
    link = visitor.find("table.ways tbody a")
    name = link.get_attribute("href").partition("#")[2]
    before = visitor.find(f"#{name} .line").value_of_css_property("stroke-width")
    link.click()
    assert visitor.find(f"#{name} .line").value_of_css_property("stroke-width") > before


def test_every_link_leads_somewhere_and_every_focus_is_seen(visitor):
    for link in visitor.all("a[href^='#']"):
        assert visitor.all(f"[id='{link.get_dom_attribute('href')[1:]}']")
    assert visitor.unseen_focus(most=150) == []


def test_on_paper_nothing_is_cut_or_folded_away(visitor):
    printed = visitor.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    document = pypdfium2.PdfDocument(base64.b64decode(printed["data"]))
    try:
        text = " ".join(page.get_textpage().get_text_range() for page in document)
    finally:
        document.close()
    said = "".join(text.split())
    for words in ("3 of 13 metrics got worse", "within noise", "the same", "cut: other candidates took the places"):
        assert "".join(words.split()) in said
    assert "Skiptothecontent" not in said
