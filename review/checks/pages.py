"""Whether a page is in force, by its state and by what it says of itself."""

import re

from core.types import Evidence
from review.text import Sentence, phrases, sentences
from review.words import Words

_NOTICE = re.compile(r"\A[\s>*_#|!\[\]-]*(?:(?:status|state|note|notice|stand|hinweis)\W*:[\s*_]*)?", re.IGNORECASE)
"""What may stand before such a note: the marks of a quotation or table, a label."""
_TOP = 300
"""Characters at the top of a passage in which a note that the page is replaced is looked for."""
_ITSELF = ("this page", "this policy", "this document", "this rule", "diese seite", "diese regel")


def is_archived(page: Evidence) -> bool:
    return page.attributes.get("archived") == "true"


def is_personal(page: Evidence) -> bool:
    return page.attributes.get("space", "").startswith("~")


def is_draft(page: Evidence, words: Words) -> bool:
    """A draft or minutes by its title."""
    return re.sub(r"[^\w\s-]", " ", page.locator.title).lower() in phrases(words.drafts)


def void_notice(page: Evidence, words: Words) -> str:
    """The words, literally, by which a passage says that its page holds no longer; empty if it does not."""
    return void_words(page.text, words)


def void_words(text: str, words: Words) -> str:
    """The same of a page's own text."""
    for line in text[:_TOP].splitlines():
        if _opens(_NOTICE.sub("", line, count=1), words):
            return line.strip()
    voided = (s for s in sentences(text) if _voids(s, words))
    return next((sentence.text for sentence in voided), "")


def in_force(page: Evidence, words: Words) -> bool:
    """Neither archived, nor somebody's own, nor a draft or minutes by its title, nor replaced by its own words."""
    return not (is_archived(page) or is_personal(page) or is_draft(page, words) or void_notice(page, words))


def _voids(sentence: Sentence, words: Words) -> bool:
    return sentence.prose in phrases(words.superseded) and sentence.prose in phrases(_ITSELF)


def _opens(line: str, words: Words) -> bool:
    """Whether a line begins with the words that void a page: `Superseded by ...`, `This was replaced by ...`."""
    found = phrases(words.superseded).find(line)
    return found is not None and found.start(1) <= 12
