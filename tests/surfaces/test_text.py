"""What strangers write comes back as text, whole and in order, however long and whatever it looks like."""

import re
import unicodedata
from urllib.parse import urlsplit

import pytest

from tests.surfaces.contract import joined
from tests.surfaces.program import MADE_BY

SENTENCE = "The export of the harbour's lists waits for the tide, and no list is lost while it does. "


def test_far_more_than_one_message_holds(surface, bench):
    remarks = [f"Remark {number:02}: {SENTENCE * 30}".strip() for number in range(48)]
    lines = [f"line {number} of {{some}} *code* <b>" for number in range(40)]
    asked = surface.ask(surface.open(*remarks))
    program = bench.program()
    program.replies.code = ("\n".join(lines),)
    view = bench.answered(program, asked)
    replies = surface.replies(asked.place)
    assert len(replies) == len(view.posts) > 2
    assert max(one.size for one in replies) <= surface.limit
    said = surface.alike(joined(replies))
    at = [said.find(surface.alike(remark)) for remark in remarks]
    assert at == sorted(at)
    assert min(at) >= 0
    (holding,) = [one.shown for one in replies if lines[0] in one.shown]
    assert all(line in holding for line in lines), "code is in one message"
    assert said.count(MADE_BY) == 1


def test_one_text_that_is_longer_than_a_message(surface, bench):
    """It is cut where a reader sees that it is."""
    asked = surface.ask(surface.open("Begins. " + "word " * 20_000))
    view = bench.answered(bench.program(), asked)
    replies = surface.replies(asked.place)
    assert {post.state for post in view.posts} == {"sent"}
    assert max(one.size for one in replies) <= surface.limit
    said = joined(replies)
    assert "Begins. word word" in said
    assert MADE_BY in said


LINK = "https://evil.example/x?y=1&z=2"
HOSTILE = {
    "wiki": r"[~po-1] [~accountid:po-1] {code} {noformat} {html}<b>x</b>{html} [here|https://evil.example] !pic.png! "
    r"h1. *b* _i_ -s- ||a|b|| {{m}} {color:red}r{color} \\ bq. q ----",
    "wiki lines": "* item\n# item\nh1. Title\nbq. Quote\n|a|b|\n----\n{quote}q{quote}",
    "storage": '<ac:structured-macro ac:name="html"><ac:plain-text-body><![CDATA[x]]></ac:plain-text-body>'
    '</ac:structured-macro><ac:link><ri:user ri:account-id="po-1"/></ac:link> &lt; &amp;amp; ]]> <!-- c --> '
    "<script>alert(1)</script>",
    "slack": "<!channel> <!here> <!everyone> <@U123ABC> <#C123ABC> <https://evil.example|here> &lt;!channel&gt; :tada: "
    "*b* ~s~ `c`",
    "names": "@channel @here @everyone @all @ana.sol @Ana Sol +1 @po-1",
    "links": f'{LINK} www.evil.example mailto:a@evil.example <a href="{LINK}">x</a> [x]({LINK}) ![x]({LINK}) '
    "evil.example",
    "markdown": "# t\n> q\n- [ ] task\n```\ncode\n``` `c` **b** | a | b |",
    "commands": "#qa-check #ask #test-cases /remind drop table jobs; --",
    "directions": "\u202eabc\u202c \u2066x\u2069 \u200bzero\u200d width \u05e9\u05dc \u0645\u0631\u062d\u0628",
    "characters": "nul \x00 bell \x07 escape \x1b[31m form \x0c del \x7f next \x85 line \u2028 end \ufffe "
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 e\u0301 \U00010348",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_text_that_would_like_to_be_more(surface, bench, text):
    asked = surface.ask(surface.open(f"before {text} after", "Good morning."))
    program = bench.program()
    view = bench.answered(program, asked)
    replies = surface.replies(asked.place)
    assert {post.state for post in view.posts} == {"sent"}
    said = joined(replies)
    wanted = [one["text"] for one in view.result["answer"]["statements"]]
    assert any(one.startswith("before") and one.endswith("after") for one in wanted), "it was read"
    for one in wanted:
        assert bare(one) in bare(said)
    allowed = {f"link {one['url']}" for one in view.result["answer"]["sources"]}
    assert {does for one in replies for does in one.active} <= allowed
    assert surface.box.slack.pings == []


def test_a_title_that_would_like_to_be_more(surface, bench):
    """What the links in an answer are called."""
    words = "[~po-1] {code} <b> <!channel> | @here *x* https://evil.example/x"
    asked = surface.ask(surface.open(title=f"before {words} after"), "review")
    view = bench.answered(bench.program(), asked)
    assert {post.state for post in view.posts} == {"sent"}
    replies = surface.replies(asked.place)
    assert bare(f"before {words} after") in bare(joined(replies))
    assert {does.partition("://")[0] for one in replies for does in one.active} <= {"link http"}
    assert {urlsplit(does.removeprefix("link ")).hostname for one in replies for does in one.active} == {"127.0.0.1"}
    assert surface.box.slack.pings == []


def bare(text):
    """Without blanks, and what nobody sees."""
    return "".join(one for one in text if unicodedata.category(one)[0] not in "CZ" and not re.match(r"\s", one))
