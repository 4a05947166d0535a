"""Every page of the console as people see it: wide and narrow, light and dark, with and without scripts."""

from urllib.parse import quote_plus

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.keys import Keys

from tests.crosscheck.console.browser.chromium import person
from tests.crosscheck.console.browser.company import WORDS

SEARCH = f"/search?q={quote_plus(WORDS)}"
MAP = f"/map?q={quote_plus(WORDS)}&draw=1"
PAGES = {
    "overview": "/",
    "jobs": "/jobs",
    "sources": "/sources",
    "search": SEARCH,
    "a key": "/search?q=BKG-142",
    "empty": "/search",
    "map": MAP,
    "no map": "/map",
    "feedback": "/feedback",
    "nothing": "/nothing-here",
}
SCREENS = [(1280, False), (1280, True), (360, False), (360, True)]


def story(visitor):
    """Open the story of a job."""
    visitor.open("/jobs")
    visitor.find("main table a, main li a").click()
    visitor.wait("h1")
    assert "/jobs/" in visitor.driver.current_url


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_no_page_has_a_fault(visitor, width, dark, tmp_path):
    visitor.size(width)
    visitor.light(dark=dark)
    found = {}
    for name, path in PAGES.items():
        visitor.open(path)
        found[name] = visitor.faults()
        visitor.picture(tmp_path / f"{name}.png")
        assert 2_000 < (tmp_path / f"{name}.png").stat().st_size < 200_000
    story(visitor)
    found["story"] = visitor.faults()
    expected = [line for line in found["nothing"] if "404" in line]  # the browser tells of it
    assert found == {name: expected if name == "nothing" else [] for name in found}


def test_dark_is_dark_and_light_is_light(visitor):
    grounds = []
    for dark in (False, True):
        visitor.light(dark=dark)
        visitor.open("/search")
        grounds.append(visitor.find("body").value_of_css_property("background-color"))
    assert grounds[0] != grounds[1]


def test_every_focus_is_seen(visitor):
    for path in ("/", "/jobs", SEARCH, MAP):
        visitor.open(path)
        assert visitor.unseen_focus() == []


def test_log_in_and_out_by_keyboard_alone(opened):
    with person(opened.url) as stranger:
        stranger.open("/search")
        assert stranger.driver.current_url.endswith("/login")
        assert stranger.faults() == []
        stranger.tab_to("input[name=token]")
        stranger.press("crosscheck_" + "x" * 43, Keys.ENTER)
        assert "not known" in stranger.wait("[role=alert]").text
        stranger.log_in(opened.token)
        for words in ("Jobs", "Sources", "Search", "Map", "Feedback", "Overview"):
            link = next(one for one in stranger.all("nav a") if one.text == words)
            stranger.tab_to(f"nav a[href='{link.get_dom_attribute('href')}']")
            stranger.press(Keys.ENTER)
            stranger.at(words)
        stranger.tab_to("header form button")
        stranger.press(Keys.ENTER)
        stranger.wait("input[name=token]")
        stranger.open("/jobs")
        assert stranger.driver.current_url.endswith("/login")


def test_the_first_tabulator_leads_to_the_content(visitor):
    visitor.open("/search")
    visitor.press(Keys.TAB, Keys.ENTER)
    visitor.tab_to("#q", most=1)


def test_without_scripts_everything_is_there(visitor):
    visitor.scripts(on=False)
    visitor.open("/search")
    heading = visitor.find("h1")
    visitor.find("#q").send_keys(WORDS, Keys.ENTER)
    visitor.wait(".results")
    with pytest.raises(StaleElementReferenceException):  # it is another page, not a part of it that a script swapped
        heading.is_displayed()
    assert "q=How" in visitor.driver.current_url
    assert len(visitor.all(".results > li")) == 10
    visitor.menu("Map")
    assert not visitor.all("svg.points")
    visitor.find("form button[name=draw]").click()
    assert visitor.wait("svg.points")
    story(visitor)
    for words in ("Overview", "Sources", "Feedback"):
        visitor.menu(words)
        visitor.at(words)
    assert visitor.said() == []


def test_a_script_swaps_the_results_alone(visitor):
    visitor.open("/search")
    visitor.driver.execute_script("window.stayed = true")
    visitor.find("#q").send_keys(WORDS, Keys.ENTER)
    visitor.wait(".results")
    assert visitor.driver.execute_script("return window.stayed")
    assert "q=How" in visitor.driver.current_url
    assert len(visitor.all("#found")) == len(visitor.all("h1")) == 1
    visitor.find("#q").clear()
    visitor.find("#q").send_keys("???", Keys.ENTER)
    assert "no word" in visitor.wait("#found [role=alert]").text
    assert not visitor.all(".results")
    assert visitor.driver.execute_script("return window.stayed")
    assert [line for line in visitor.faults() if "status of 422" not in line] == []


def test_a_script_leads_whoever_is_logged_out_to_the_form(opened):
    with person(opened.url) as gone:
        gone.log_in(opened.token)
        gone.open("/search")
        gone.driver.delete_all_cookies()
        gone.find("#q").send_keys(WORDS, Keys.ENTER)
        gone.wait("input[name=token]")
        assert gone.driver.current_url.endswith("/login")


def test_each_candidate_has_its_line_and_its_row(visitor):
    visitor.open(SEARCH)
    lines, rows = visitor.all("svg.flow .way"), visitor.all("table.ways tbody tr")
    assert len(lines) == len(rows) > 20
    assert len(visitor.all("svg.flow .way.kept")) == 10
    number = visitor.find("table.ways a").get_attribute("href").partition("#")[2]
    line = visitor.find(f"#{number} .line")
    before = float(line.value_of_css_property("stroke-width").removesuffix("px"))
    visitor.tab_to("table.ways a")
    visitor.press(Keys.ENTER)
    assert float(line.value_of_css_property("stroke-width").removesuffix("px")) > before
    others = [one.value_of_css_property("opacity") for one in visitor.all(f"svg.flow .way:not(#{number}) .line")]
    assert max(map(float, others)) < 0.5
    assert visitor.faults() == []


def test_a_map_shows_its_hits_and_where_they_are(visitor):
    visitor.open(MAP)
    assert len(visitor.all("svg.points a.number")) + len(visitor.all("svg.points g.number")) == 10
    assert visitor.all("svg.points .star")
    hrefs = {link.get_attribute("href") for link in visitor.all(".hits a")}
    assert hrefs
    assert all(href.startswith("http://127.0.0.1:") for href in hrefs)
    passages = sum(int(cell.text) for cell in visitor.all("table.areas td.rank"))
    assert f"{passages} passages" in visitor.find("h2").text


def test_who_holds_less_sees_less(opened):
    with person(opened.url) as narrow:
        narrow.log_in(opened.narrow)
        narrow.open(SEARCH)
        assert not narrow.all(".results")
        assert "No results" in narrow.find("h2").text
        assert [option.text for option in narrow.all("#source option")] == ["all"]
        narrow.open(MAP)
        assert not narrow.all("svg.points")
        assert narrow.find("[role=alert]").text
        for path in PAGES.values():
            narrow.open(path)
            page = narrow.driver.page_source
            assert "BKG-150" not in page
            assert "refunds.py" not in page
