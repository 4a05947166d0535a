"""What goes wrong: who may read the page changes, Confluence does not answer, somebody tells what is not true."""

from threading import Event

from sandbox.exchange import Exchange
from tests.crosscheck.confluence.making import REVIEW, Act, Stage
from tests.crosscheck.confluence.stage import AUTHOR, LEAVER, TESTER
from tests.crosscheck.confluence.texts import MANY
from tests.crosscheck.live import until

LONG = 999
BOARD = ("leadership",)
MARGIN = "#ask What is the Brackwater margin on a kennel?"
"""Only a page that is restricted to the leadership says it."""
CHECK = "#pruefen"
"""A word of the settings."""
WRITES = r"/(footer|inline)-comments$|/confluence/rest/api/content$"

# Who may read the page


def restricted(text: str = MARGIN) -> Act:
    return lambda at: at.open(groups=BOARD).ask(text)


def restricted_above(text: str = MARGIN) -> Act:
    def put(at: Stage) -> None:
        above = at.open(title="For the board", groups=BOARD).page
        at.open(parent=above).ask(text)

    return put


def opened_up(at: Stage) -> None:
    """When the answer is made and not posted yet."""
    at.open(groups=BOARD).before_it_is_posted(lambda at: at.confluence.restrict(at.page)).ask(MARGIN)


def opened_above(at: Stage) -> None:
    """The page above, which alone was restricted."""
    above = at.open(title="For the board", groups=BOARD).page
    at.open(parent=above).before_it_is_posted(lambda at: at.confluence.restrict(above)).ask(MARGIN)


def narrowed(at: Stage) -> None:
    at.open().before_it_is_posted(lambda at: at.confluence.restrict(at.page, groups=BOARD)).ask()


def silent(at: Stage, times: int) -> None:
    """So often Confluence does not say who may read the page, and asks for more time than anybody waits for."""
    at.wiki.box.faults.add("GET", f"/{at.page}/restriction", "status", times, status=503, headers={"Retry-After": "90"})


def unasked_once(at: Stage) -> None:
    """Who may read the page is not told at first."""
    silent(at.open(), 1)
    at.ask()


def unasked(at: Stage) -> None:
    """Nor later."""
    silent(at.open(), LONG)
    at.ask()


def unasked_at_posting(at: Stage) -> None:
    """Who may read the page is not told when the answer is to be posted: it is made or posted again."""
    at.open(groups=BOARD).before_it_is_posted(lambda at: silent(at, 1))
    at.write(MARGIN)
    until(lambda: _waiting(at) or at.replies(), "a post that waits, or another answer")
    assert at.wiki.box.faults.pending == 0
    at.wiki.clock.forward(minutes=3)
    at.over()


def at_last(at: Stage) -> None:
    """A post that failed is tried again."""
    until(lambda: _waiting(at), "a post that waits")
    at.wiki.clock.forward(minutes=3)
    at.over()


def _waiting(at: Stage) -> bool:
    view = at.job()
    if view is None or not any(one.state == "queued" for one in view.posts):
        return False
    return any(one.error for one in view.posts) or any(one.what.startswith("postponed") for one in view.events)


# What Confluence does not do


def forbidden(at: Stage) -> None:
    at.confluence.silence("PRD", at.wiki.bot)
    at.open().ask()


def asked_to_wait(at: Stage) -> None:
    at.wiki.box.faults.add("POST", WRITES, "status", 1, status=429, headers={"Retry-After": "30"})
    at.open().write()
    at_last(at)


def failing_write(at: Stage) -> None:
    at.wiki.box.faults.add("POST", WRITES, "status", 1, status=500)
    at.open().write()
    at_last(at)


def lost_answer(at: Stage) -> None:
    """The comment is written, and the bot never hears of it."""
    at.wiki.box.faults.add("POST", WRITES, "drop_after", 1)
    at.open().write()
    at_last(at)


def lost_and_rewritten(at: Stage) -> None:
    """The same, and the editor has the comment meanwhile."""
    at.confluence.rewrites = True
    lost_answer(at)


def down(at: Stage) -> None:
    """Nothing of Confluence answers, from when the comment was noticed until all attempts are over."""
    at.open().before_it_is_read(lambda at: at.wiki.box.faults.add("*", "/(wiki|confluence)/", "status", LONG))
    at.write()
    until(lambda: (view := at.job()) and view.job.state == "failed", "an end of the attempts")
    until(lambda: _waiting(at), "a notice that waits")
    at.wiki.box.faults.clear()
    at.wiki.clock.forward(minutes=3)
    at.over()


def late_search(at: Stage) -> None:
    at.confluence.search_lag = 0.5
    at.open().write()
    at.over()


# Who tells of the comment


def tell(at: Stage, *, copies: int = 1, searched: bool = False, secret: str = "") -> None:
    """From now on."""
    hooks = at.wiki.box.confluence_webhooks
    hooks.shape = "automation" if at.cloud else "data-center"
    hooks.copies, hooks.secret = copies, secret or at.wiki.box.webhook_secret
    at.confluence.search_lag = 0.0 if searched else LONG
    hooks.deliver_to(at.wiki.hook)


def webhook(*, copies: int = 1, searched: bool = False, secret: str = "") -> Act:
    """Told by Automation on Cloud, and by a webhook of Data Center's; the search finds it as well where said."""

    def put(at: Stage) -> None:
        tell(at, copies=copies, searched=searched, secret=secret)
        at.open().write()
        assert at.wiki.box.confluence_webhooks.wait()
        if not secret:
            at.over()

    return put


def edited_in_told(at: Stage) -> None:
    """The command comes by an edit to a comment of which was told before."""
    tell(at)
    at.open().write("Good morning.")
    at.wiki.idle()
    at.notes.edit(at.comment, REVIEW)
    at.wiki.idle()


# Who asks


def leaves(at: Stage) -> None:
    """The account of whoever asked is removed while it is answered."""
    person = at.wiki.person(LEAVER)
    at.open().before_it_is_posted(lambda at: at.confluence.remove_user(person)).ask(by=LEAVER)


def again_after(minutes: int) -> Act:
    def put(at: Stage) -> None:
        root = at.open().ask(CHECK, by=TESTER).comment
        at.wiki.clock.forward(minutes=minutes)
        at.ask(CHECK, by=TESTER, reply_to=root)

    return put


def queued(at: Stage) -> None:
    """Others asked before, and the first of them is not done."""
    free = Event()

    def hold(_exchange: Exchange) -> None:
        free.wait(20)

    at.open()
    at.wiki.box.faults.on("GET", rf"/(pages|content)/{at.page}$", hold)
    try:
        for _ in range(4):
            at.write("#frage", by=TESTER)
            until(at.job, "a job")
    finally:
        free.set()
    at.over()


def hostile(at: Stage) -> None:
    """A page whose open question would like to be more than text."""
    person = at.wiki.person(AUTHOR)
    at.open(
        storage="<p>The fee is TBD &lt;script&gt;alert(1)&lt;/script&gt; &lt;ac:link&gt;&lt;ri:user "
        f'ri:account-id="{person}"/&gt;&lt;/ac:link&gt; [a](javascript:alert(1)) @{AUTHOR} #qa-check '
        '<ac:structured-macro ac:name="html"><ac:plain-text-body><![CDATA[<b>]]></ac:plain-text-body>'
        "</ac:structured-macro></p>"
    )
    at.ask(REVIEW)


def long_page(at: Stage) -> None:
    at.open(MANY).ask("#test-cases")
