"""Comments that are noticed before they ask for anything."""

from xml.sax.saxutils import escape

from tests.crosscheck.live import until


def test_a_command_that_comes_by_an_edit_is_answered_though_the_comment_was_noticed_before(at):
    at.open().write("Good morning.")
    at.wiki.idle()
    at.notes.edit(at.comment, "#qa-check")
    at.wiki.idle()
    assert len(at.replies()) == 1


def test_a_command_that_was_code_first_is_answered_once_it_is_said(at):
    at.open().markup("<p>Write <code>#qa-check</code> there.</p>")
    at.wiki.idle()
    assert not at.replies()
    at.notes.edit(at.comment, "", storage="<p>#qa-check</p>")
    at.wiki.idle()
    assert len(at.replies()) == 1


def test_what_is_edited_after_its_answer_is_not_answered_again(at):
    at.open().ask()
    at.notes.edit(at.comment, "Thanks.")
    at.wiki.idle()
    at.notes.edit(at.comment, "#qa-check")
    at.wiki.idle()
    assert len(at.replies()) == 1


def test_a_marker_that_somebody_copies_is_no_answer(at):
    """The answer to the send is lost; before the next attempt a stranger copies the reply, and the reply is deleted."""
    at.open()
    path = "footer-comments" if at.cloud else "rest/api/content$"
    at.wiki.box.faults.add("POST", path, "drop_after", 1)
    at.write()
    until(at.replies, "a reply")
    (mine,) = at.replies()
    copied = mine.versions[-1].storage
    at.notes.add(at.page, "", at.wiki.person("Wen Zhao"), storage=copied, reply_to=at.comment)
    at.notes.remove(mine.id)
    until(lambda: any(post.error for post in at.job().posts), "the lost answer is known")
    at.wiki.clock.forward(minutes=30)
    at.wiki.idle()
    assert len(at.replies()) == 1


def test_a_page_that_is_opened_while_the_sources_are_looked_up_gets_no_answer_for_the_few(at):
    """Who reads the page is the last thing that is looked at before the send."""
    at.open(groups=("leadership",))
    at.author = "Renate Vogel"
    reads = []

    def count(_exchange):
        reads.append(1)
        if len(reads) == 4:  # the audience and the page for the review; the sources and the audience before the send
            at.confluence.restrict(at.page)

    at.wiki.box.faults.on("GET", f"content/{at.page}/restriction/byOperation/read", count)
    at.ask()
    assert "review is made again" in [event.what for event in at.job().events]
    assert len(at.replies()) == 1


def test_odd_arguments_are_refused_in_words(at):
    odd = ("drop " + "9" * 900, "drop 1-499999999", "GATE-66", "BKG-99999", "{{}}|||", "a-" * 400, "\u202e\u2028]]>")
    for text in odd:
        at.open().markup(f"<p>#test-cases {escape(text)}</p>").over()
        (reply,) = at.replies()
        assert "]]>" not in (reply.versions[-1].storage or "")
        assert at.job().job.state == "done"
