"""A person at the ticket page: a real browser writes a comment as a role and sees it with its badge."""

from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from tests.conftest import missing
from tests.sandbox_fixtures import DEVELOPER, OWNER, paragraph

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-quic --window-size=390,844"
)


@pytest.fixture
def browser():
    if not (CHROMIUM.exists() and DRIVER.exists()):
        missing("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    yield driver
    driver.quit()


def comments(browser):
    return browser.find_elements(By.CSS_SELECTOR, "#list article")


def test_write_as_a_role_and_watch_the_answer_come(sandbox, browser, tmp_path):
    browser.get(sandbox.jira_url + "/browse/SHOP-1")
    assert browser.find_element(By.TAG_NAME, "h1").text == "Lock the account"
    assert browser.find_element(By.NAME, "text").get_attribute("value") == "#qa-check"
    Select(browser.find_element(By.NAME, "author")).select_by_visible_text(OWNER.name)
    Select(browser.find_element(By.NAME, "visibility")).select_by_visible_text("Role: Owners")
    browser.find_element(By.CSS_SELECTOR, "form button").click()

    wait = WebDriverWait(browser, 10)
    wait.until(lambda _: len(comments(browser)) == 4)
    mine = comments(browser)[-1].text
    assert "#qa-check" in mine
    assert "Role: Owners" in mine
    assert OWNER.name in mine
    assert browser.find_element(By.ID, "waiting").is_displayed()
    written = sandbox.jira.comments("SHOP-1")[-1]
    assert written["visibility"]["value"] == "Owners"

    browser.find_element(By.NAME, "text").send_keys(" kept")
    sandbox.jira.add_comment("SHOP-1", sandbox.accounts.bot.id, "The **answer**.", role="Owners")
    wait.until(lambda _: len(comments(browser)) == 5)
    wait.until(lambda _: not browser.find_elements(By.ID, "waiting"))
    assert "The answer." in comments(browser)[-1].text
    assert browser.find_element(By.NAME, "text").get_attribute("value") == "#qa-check kept"

    browser.save_screenshot(str(tmp_path / "ticket.png"))
    width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(width) <= 0
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_a_person_outside_the_role_is_told(sandbox, browser):
    browser.get(sandbox.jira_url + "/browse/SHOP-1")
    Select(browser.find_element(By.NAME, "author")).select_by_value(DEVELOPER.id)
    Select(browser.find_element(By.NAME, "visibility")).select_by_value("role:Owners")
    browser.find_element(By.CSS_SELECTOR, "form button").click()
    error = WebDriverWait(browser, 10).until(lambda b: b.find_element(By.CLASS_NAME, "error"))
    assert "not a member" in error.text
    assert len(sandbox.jira.comments("SHOP-1")) == 3


def test_nothing_written_in_a_ticket_runs_on_the_page(sandbox, browser):
    text = {
        "type": "text",
        "text": "click",
        "marks": [{"type": "link", "attrs": {"href": "javascript:document.title='x'"}}],
    }
    bad = paragraph("<script>document.title='x'</script><img src=x onerror=\"document.title='x'\">")
    bad["content"][0]["content"].append(text)
    sandbox.jira.add_comment("SHOP-1", OWNER.id, adf=bad)
    sandbox.jira.set_fields("SHOP-1", {"summary": "<b onmouseover=alert(1)>bold</b>"})
    browser.get(sandbox.jira_url + "/browse/SHOP-1")
    assert "<script>" in comments(browser)[-1].text
    assert comments(browser)[-1].find_elements(By.TAG_NAME, "script") == []
    assert comments(browser)[-1].find_elements(By.CSS_SELECTOR, "p a") == []
    assert browser.title.startswith("[SHOP-1] <b onmouseover")
