"""A page of the wiki as people see it, with its comments."""

import re

import pytest
import requests

from tests.sandbox_fixtures import DEVELOPER, OWNER


@pytest.fixture
def notes(sandbox):
    return sandbox.confluence.notes


@pytest.fixture
def shown(sandbox):
    def get(page="501", **query):
        url = f"{sandbox.confluence_url}/wiki/spaces/POL/pages/{page}"
        answer = requests.get(url, query, timeout=5)
        assert answer.status_code == 200
        return answer.text

    return get


def articles(html):
    return re.findall(r'<article id="comment-(\d+)".*?</article>', html, re.DOTALL)


def test_threads_in_the_text_and_at_the_foot(sandbox, notes, shown):
    assert "Comments" not in shown()
    foot = notes.add("501", "Who **decides**?", OWNER.id)
    about = notes.add("501", "Why five?", OWNER.id, marked="account is locked")
    reply = notes.add("501", "", sandbox.accounts.bot.id, reply_to=about, storage="<p>It <em>says</em> so.</p>")
    again = notes.add("501", "We do.", DEVELOPER.id, reply_to=foot)
    notes.add("502", "Elsewhere.", OWNER.id)
    html = shown(focusedCommentId=reply)
    assert articles(html) == [about, reply, foot, again]
    assert f'<mark><a href="#comment-{about}">account is locked</a></mark>' in html
    assert "<p>It <em>says</em> so.</p>" in html
    assert f'<article id="comment-{reply}" class="focused">' in html
    assert html.count('<span class="badge">bot</span>') == 1
    notes.resolve(about)
    assert '<span class="badge">resolved</span>' in shown()


def test_text_that_is_not_there_in_one_piece_is_quoted_only(notes, shown):
    about = notes.add("501", "Why?", OWNER.id, marked="five tries the account")
    html = shown()
    assert articles(html) == [about]
    assert html.count("<mark>") == 1


def test_replies_whose_first_comment_is_gone_are_shown(notes, shown):
    about = notes.add("501", "Why?", OWNER.id, marked="locked")
    reply = notes.add("501", "So.", OWNER.id, reply_to=about)
    notes.remove(about)
    assert articles(shown()) == [reply]


def test_nothing_that_is_written_runs(sandbox, notes, shown):
    bad = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    notes.add("501", bad, OWNER.id, marked=bad)
    notes.add("501", "", OWNER.id, storage="<p><script>alert(2)</script><a href='javascript:alert(3)'>here</a></p>")
    html = shown()
    assert "<script>alert" not in html
    assert "<img" not in html
    assert "javascript:" not in html
    sandbox.confluence.remove_user(OWNER.id)
    assert "Former user" in shown()
