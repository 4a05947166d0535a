"""A person at the console: a headless Chromium, and what is wrong with the page that it shows."""

import base64
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.conftest import missing
from tests.crosscheck.console.browser.contrast import layered, least, over, parsed, ratio

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking --lang=en-GB "
    "--disable-component-update --disable-sync --disable-quic --hide-scrollbars --force-color-profile=srgb"
)
ADVICE = {"recommendation", "rendering"}  # of the browser's own: what could be better, not what is wrong
SMALLEST = 24  # px, of a button or input (WCAG 2.2, 2.5.8)
_INSPECT = Path(__file__).with_name("inspect.js").read_text("utf-8")
_PATIENCE = 20


class Person:
    """At a browser with the console open."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver = driver
        self.url = url
        self.size(1280)

    def size(self, width: int, height: int = 900) -> None:
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)

    def light(self, *, dark: bool = False) -> None:
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})

    def scripts(self, *, on: bool) -> None:
        """Whether pages may run any. Needs a page to be opened afterwards."""
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})

    def open(self, path: str) -> None:
        self.driver.get(self.url + path)

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait(self, selector: str) -> WebElement:
        return WebDriverWait(self.driver, _PATIENCE).until(lambda _: next(iter(self.all(selector)), None), selector)

    def at(self, words: str) -> None:
        """Wait until the navigation marks this page as the one that is shown."""
        there = f"//nav//a[@aria-current][normalize-space()='{words}']"
        WebDriverWait(self.driver, _PATIENCE).until(lambda _: self.driver.find_elements(By.XPATH, there), words)

    def menu(self, words: str) -> None:
        self.driver.find_element(By.LINK_TEXT, words).click()

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    @property
    def focused(self) -> WebElement:
        return self.driver.switch_to.active_element

    def tab_to(self, selector: str, most: int = 60) -> WebElement:
        """Press the tabulator until what the selector finds has the focus."""
        wanted = self.find(selector)
        for _ in range(most):
            self.press(Keys.TAB)
            if self.focused == wanted:
                return wanted
        raise AssertionError(f"{selector} is not reached by {most} tabulators")

    def log_in(self, token: str) -> None:
        """By keyboard alone."""
        self.open("/")
        self.tab_to("input[name=token]")
        self.press(token, Keys.ENTER)
        self.wait("nav")

    def picture(self, path: Path, tallest: int = 2400) -> None:
        """The whole page from its top, in at most 256 colours, which is all that it needs."""
        height = self.driver.execute_script("return Math.ceil(document.body.getBoundingClientRect().height)")
        width = self.driver.execute_script("return document.documentElement.clientWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, tallest), "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        with Image.open(BytesIO(base64.b64decode(shot["data"]))) as drawn:
            reduced = drawn.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        reduced.save(path, optimize=True)

    def said(self) -> list[str]:
        """What the browser itself has to complain of since it was asked last."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["source"] not in ADVICE]

    def faults(self) -> list[str]:
        """What is wrong with the page that is shown."""
        seen = self.driver.execute_script(_INSPECT)
        return [*self.said(), *_structure(seen), *_forms(seen), *_faint(seen["texts"])]

    def unseen_focus(self, most: int = 80) -> list[str]:
        """What of the page gets the focus from the tabulator without showing it."""
        found = []
        self.driver.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
        for _ in range(most):
            self.press(Keys.TAB)
            told = self.driver.execute_script(
                "const e = document.activeElement, s = getComputedStyle(e); return e === document.body ? null : "
                "[e.outerHTML.slice(0, 120), s.outlineStyle, parseFloat(s.outlineWidth)]"
            )
            if told is None:
                break
            html, style, width = told
            if style != "auto" and (style == "none" or width < 2):
                found.append(html)
        return found


@contextmanager
def person(url: str) -> Iterator[Person]:
    """With a fresh browser."""
    if not (CHROMIUM.exists() and DRIVER.exists()):
        missing("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    try:
        yield Person(driver, url)
    finally:
        driver.quit()


def _structure(seen: dict[str, Any]) -> Iterator[str]:
    levels = [heading["level"] for heading in seen["headings"]]
    if levels[:1] != [1] or levels.count(1) != 1:
        yield f"the first heading, and no other, is of level 1: {levels}"
    if any(after > before + 1 for before, after in pairwise(levels)):
        yield f"a level of headings is left out: {levels}"
    if seen["wider"] > 0:
        yield f"the page is {seen['wider']} px wider than the screen"
    if not seen["lang"] or not seen["title"]:
        yield "the page has no language or title"
    if seen["styled"]:
        yield f"{seen['styled']} styles or scripts stand in the page"
    yield from (f"{count} elements have the id {name}" for name, count in Counter(seen["ids"]).items() if count > 1)
    for drawing in seen["drawings"]:
        if not drawing["hidden"] and not (drawing["role"] and drawing["named"]):
            yield f"a drawing without a role or a name: {drawing}"
    for table in seen["tables"]:
        if not table["caption"] or table["unscoped"]:
            yield f"a table without a caption or scopes: {table}"


def _forms(seen: dict[str, Any]) -> Iterator[str]:
    for one in seen["inputs"]:
        if not one["label"]:
            yield f"without a label: {one['name']}"
        if one["width"] and min(one["width"], one["height"]) < SMALLEST:
            yield f"smaller than {SMALLEST} px: {one}"


def _faint(texts: list[dict[str, Any]]) -> Iterator[str]:
    for text in texts:
        ground = layered(text["grounds"])
        found = ratio(over(parsed(text["colour"]), ground), ground)
        if found < least(text["pixels"], text["weight"]):
            yield f"{found:.2f} to 1 is too faint: {text['words']!r}, {text['colour']} on {text['grounds']}"
