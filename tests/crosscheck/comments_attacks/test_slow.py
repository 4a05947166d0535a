"""Texts that are written to wear the service out: whoever may comment can have them read."""

import time

import pytest

from bots.jira import wiki
from bots.outline import Paragraph, Words
from review.text import sentences, without_quoted


@pytest.mark.parametrize("mark", ["“", "„", "«", "»", '"', " '", "”"])
def test_marks_that_quote_nothing_are_read_in_a_moment(mark):
    text = mark * 60_000
    assert _seconds(lambda: without_quoted(text)) < 0.5


@pytest.mark.parametrize("piece", ["“", "- ", " a", "1. ", "\n> ", "| ", "a_", "TBD "])
def test_sentences_are_found_in_a_moment(piece):
    text = piece * (60_000 // len(piece))
    assert _seconds(lambda: sentences(text)) < 1.0


@pytest.mark.parametrize("piece", ["#", "- ", "h1. ", "bq. ", "*", "(", ":", "{", "[~"])
def test_wiki_markup_is_written_in_a_moment(piece):
    told = Paragraph((Words(piece * (100_000 // len(piece))),))
    assert _seconds(lambda: wiki.render((told,))) < 1.5


def _seconds(work):
    began = time.process_time()
    work()
    return time.process_time() - began
