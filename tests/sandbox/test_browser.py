"""A person at the pages: a real browser writes a comment as a role, a message in Slack, and sees what becomes of it."""

from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from tests.conftest import missing
from tests.sandbox.slack_fixtures import Listener, web
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

    wait = patient(browser)
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
    error = patient(browser).until(lambda b: b.find_element(By.CLASS_NAME, "error"))
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


ANSWER = [
    {"type": "header", "text": {"type": "plain_text", "text": "It is locked"}},
    {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_list",
                "style": "ordered",
                "elements": [
                    {
                        "type": "rich_text_section",
                        "elements": [
                            {"type": "link", "url": "https://firm.example/policy", "text": "The policy"},
                            {"type": "text", "text": " <script>document.title='x'</script>"},
                        ],
                    }
                ],
            },
            {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "MAX_TRIES = 5\nGRACE = 1"}]},
        ],
    },
    {
        "type": "table",
        "rows": [[{"type": "raw_text", "text": "tries"}, {"type": "raw_text", "text": "locked"}]],
    },
    {
        "type": "actions",
        "elements": [
            {"type": "button", "action_id": name, "value": "1", "text": {"type": "plain_text", "text": sign}}
            for name, sign in (("up", "👍"), ("down", "👎"))
        ],
    },
]
WHY = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "What was wrong?"},
    "submit": {"type": "plain_text", "text": "Send"},
    "blocks": [
        {
            "type": "input",
            "label": {"type": "plain_text", "text": "Why?"},
            "element": {"type": "plain_text_input", "action_id": "why"},
        }
    ],
}


@pytest.fixture
def app(sandbox):
    listener = Listener(sandbox)
    yield listener
    listener.close()


def patient(browser):
    """Waits also while the page is being written anew."""
    return WebDriverWait(browser, 10, ignored_exceptions=[StaleElementReferenceException])


def told(browser):
    return [one.text for one in browser.find_elements(By.CSS_SELECTOR, "#talks article")]


def test_ask_in_slack_watch_the_answer_come_and_rate_it(sandbox, browser, app, tmp_path):
    slack, client, wait = sandbox.slack, web(sandbox), patient(browser)
    browser.get(sandbox.slack_url)
    browser.find_element(By.LINK_TEXT, "#general").click()
    Select(browser.find_element(By.NAME, "author")).select_by_visible_text(DEVELOPER.name)
    browser.find_element(By.NAME, "text").send_keys("After how many tries?")
    browser.find_element(By.CSS_SELECTOR, "#write button").click()
    wait.until(lambda _: told(browser))
    assert f"@{slack.bot.real_name} After how many tries?" in told(browser)[0]
    assert Select(browser.find_element(By.NAME, "author")).first_selected_option.text == DEVELOPER.name

    browser.find_element(By.NAME, "text").send_keys("kept")
    asked, channel = slack.messages("general")[0].ts, slack.channel("general").id
    working = client.chat_postMessage(channel=channel, thread_ts=asked, text="Looking into it")["ts"]
    wait.until(lambda _: len(told(browser)) == 2 and "Looking into it" in told(browser)[1])
    client.chat_update(channel=channel, ts=working, text="It is locked", blocks=ANSWER)
    wait.until(lambda _: "It is locked" in told(browser)[1])
    assert "Looking into it" not in told(browser)[1]
    assert "MAX_TRIES = 5\nGRACE = 1" in told(browser)[1]
    assert "<script>" in told(browser)[1]
    link = browser.find_element(By.LINK_TEXT, "The policy")
    assert link.get_attribute("href") == "https://firm.example/policy"
    assert browser.find_element(By.NAME, "text").get_attribute("value") == "kept"
    browser.save_screenshot(str(tmp_path / "slack.png"))
    width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(width) <= 0

    browser.find_element(By.CSS_SELECTOR, "button[value=up]").click()
    wait.until(lambda _: f"{DEVELOPER.name}: 👍" in told(browser)[1])
    pressed = app.heard[-1].payload
    assert (pressed["actions"][0]["action_id"], pressed["user"]["id"]) == ("up", slack.user(DEVELOPER.id).id)
    client.views_open(trigger_id=pressed["trigger_id"], view=WHY)
    wait.until(lambda _: browser.find_elements(By.CLASS_NAME, "window"))
    browser.find_element(By.CSS_SELECTOR, ".window textarea").send_keys("too short")
    browser.find_element(By.CSS_SELECTOR, ".window button").click()
    wait.until(lambda _: not browser.find_elements(By.CLASS_NAME, "window"))
    (held,) = app.heard[-1].payload["view"]["state"]["values"].values()
    assert held["why"]["value"] == "too short"
    assert browser.title == "#general"
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_what_only_one_person_sees_in_slack_says_so(sandbox, browser, app):
    app.answers["slash_commands"] = {"text": "Looking into it."}
    browser.get(f"{sandbox.slack_url}/archives/{sandbox.slack.channel('general').id}")
    Select(browser.find_element(By.NAME, "author")).select_by_visible_text(OWNER.name)
    browser.find_element(By.NAME, "text").send_keys("what?")
    browser.find_element(By.NAME, "private").click()
    patient(browser).until(lambda _: told(browser))
    assert f"Only visible to {OWNER.name}" in told(browser)[0]
    assert "Looking into it." in told(browser)[0]
    assert sandbox.slack.messages("general") == []


def test_a_page_with_its_comments_can_be_read_on_a_telephone(sandbox, browser, tmp_path):
    notes = sandbox.confluence.notes
    about = notes.add("501", "Why <b>five</b>?", OWNER.id, marked="the account is locked")
    notes.add("501", "", sandbox.accounts.bot.id, reply_to=about, storage="<p>" + "long" * 200 + "</p>")
    notes.add("501", "Who decides?", DEVELOPER.id)
    browser.get(f"{sandbox.confluence_url}/wiki/spaces/POL/pages/501")
    browser.find_element(By.CSS_SELECTOR, "main mark a").click()
    assert browser.current_url.endswith(f"#comment-{about}")
    thread = browser.find_element(By.CSS_SELECTOR, "section.thread")
    assert thread.accessible_name == "Comments about “the account is locked”"
    assert len(thread.find_elements(By.TAG_NAME, "article")) == 2
    assert "Why <b>five</b>?" in thread.text
    browser.save_screenshot(str(tmp_path / "page.png"))
    width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(width) <= 0
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
