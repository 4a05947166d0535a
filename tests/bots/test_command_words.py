"""Trigger words of one's own, however they are written."""

from unicodedata import normalize

import pytest

from bots.command import find_command, has_trigger_word
from crosscheck.settings_commands import Commands


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("set_as", ["NFC", "NFD"])
def test_a_word_is_found_in_either_spelling(form, set_as):
    """What looks the same is the same."""
    commands = Commands(review=(normalize(set_as, "prüfe"),))
    text = f"Bitte {normalize(form, '#prüfe')} das"
    assert has_trigger_word(text, commands.words)
    found = find_command(text, commands.words)
    assert (found.word, found.argument) == ("prüfe", "das")
    assert found.word in commands.review


@pytest.mark.parametrize("word", ["#qa", "qa check", "", "qa_check", "a" * 41, "-qa", "qa-"])
def test_what_can_be_no_word_is_refused(word):
    with pytest.raises(ValueError, match=r"cannot be one|leave out the #"):
        Commands(ask=(word,))


def test_a_word_cannot_ask_for_two_things():
    with pytest.raises(ValueError, match="would ask for two things"):
        Commands(review=("Check",), ask=("check",))


def test_the_longer_of_two_words_counts():
    assert find_command("#qa-check-all now", ("qa", "qa-check", "qa-check-all")).word == "qa-check-all"
