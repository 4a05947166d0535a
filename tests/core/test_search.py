"""Searching: what is found, in which order, and what is refused."""

import random
import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import BadQuery, EmbedderUnavailable
from core.search import Searcher
from core.types import Audience, Document, Filters, Query
from tests.core.parts import EARLY, EVERYBODY, Bench, Shelf, document, refusing

TOPICS = ("refund", "invoice", "password", "session", "export", "webhook", "currency", "address")


def ids(found) -> list[str]:
    return [evidence.document_id for evidence in found]


def search(bench: Bench, text: str, *, limit: int = 10, audience: Audience = EVERYBODY, **filters) -> list[str]:
    return ids(bench.searcher.search(Query(text, filters=Filters(**filters), limit=limit), audience).evidence)


def about_lockouts() -> list[Document]:
    """Forty short pages; the key and the name are in two of them, many others are about other keys."""
    texts = [f"Ticket PAY-{700 + i} changes how the {TOPICS[i % 8]} lockout grace period is shown." for i in range(30)]
    texts += [f"The {topic} service keeps a grace period after the lockout of a user." for topic in TOPICS]
    texts += ["Since PAY-931 the lockout_grace setting is ten minutes.", "Ops: lower lockout_grace as PAY-931 says."]
    return [document(text, id=f"wiki:{number}", title=f"Note {number}") for number, text in enumerate(texts)]


# Field report R1: a keyword leg that has the rare word first must not lose it to what is merely alike.


@pytest.mark.parametrize("key", ["PAY-931", "lockout_grace", "`lockout_grace`", "pay-931"])
def test_a_bare_key_gives_the_chunk_that_holds_it(bench: Bench, key: str) -> None:
    bench.index(*about_lockouts())
    assert set(search(bench, key)[:2]) == {"wiki:38", "wiki:39"}


@pytest.mark.parametrize(
    "text", ["what did PAY-931 change about the lockout grace period", "how long is lockout_grace for a user session"]
)
def test_a_key_among_words_comes_first(bench: Bench, text: str) -> None:
    bench.index(*about_lockouts())
    found = bench.searcher.search(Query(text), EVERYBODY).evidence
    assert {e.document_id for e in found[:2]} == {"wiki:38", "wiki:39"}
    assert [e.route for e in found[:3]] == ["exact", "exact", "hybrid"]


def test_a_rare_word_that_is_no_key_stays_in_the_first_three(bench: Bench) -> None:
    rare = document("The zeppelin tariff has a grace period of two days.", id="wiki:rare")
    bench.index(*about_lockouts(), rare)
    assert "wiki:rare" in search(bench, "zeppelin grace period lockout")[:3]


def test_a_single_noisy_word_does_not_beat_the_meaning(bench: Bench) -> None:
    right = document("After five failed logins the account is blocked for an hour.", id="wiki:right", title="Sign in")
    noise = document("Secret santa: put a gift of ten euros below the tree.", id="wiki:noise", title="Party")
    bench.index(right, noise, *about_lockouts()[:30])
    found = search(bench, "why can people not authenticate after typing a wrong secret")
    assert found.index("wiki:right") < found.index("wiki:noise")


def test_an_unknown_key_gives_nothing(bench: Bench) -> None:
    bench.index(*about_lockouts())
    assert search(bench, "PAY-9999") == search(bench, "src/nowhere.py:3") == search(bench, "deadbeef01") == []
    assert search(bench, "lockoutGraceful")  # written like a name, but no name here: a word


# Texts that are not ASCII keep their words.


def test_words_of_every_script_are_found_by_the_sparse_arms(bench: Bench) -> None:
    texts = {
        "ru": "Сервис блокирует пользователя. Класс PaymentGateway пишет журнал.",
        "ko": "결제시스템 계정이 잠금되었습니다.",
        "de": "Das Büro in Zürich prüft die Kündigung.",
        "ja": "アカウントをロックする。PAY-77を参照。",
    }
    bench.index(*(document(text, id=key, title="") for key, text in texts.items()))

    mute = refusing(bench.embedders, EmbedderUnavailable("connection refused"))
    words_only = Searcher(bench.store, mute, bench.metrics)
    asked = {
        "ru": ["пользователь", "журнал", "PaymentGateway", "payment gateway"],
        "ko": ["계정", "결제시스템", "잠금"],
        "de": ["Zürich", "Zurich", "Zuerich", "zürich", "KÜNDIGUNG"],
        "ja": ["アカウント", "ロック", "PAY-77"],
    }
    for key, questions in asked.items():
        for question in questions:
            assert ids(words_only.search(Query(question), EVERYBODY).evidence)[:1] == [key], question
    result = words_only.search(Query("журнал"), EVERYBODY)
    assert result.degraded == ("The embedder did not answer, so only words were compared, not meaning.",)


def test_an_arm_that_finds_nothing_is_counted(bench: Bench) -> None:
    bench.index(document("The account is blocked."))
    search(bench, "xyzzy")
    empty = ("crosscheck_search_empty_arms_total", ("arm", "content words"), ("collection", "documents"))
    assert bench.metrics.counts[empty] == 1


# Exact identifiers.

CODE = """class LockService:
    def check_user_lock(self, user):
        return user.locked


def unrelated():
    return None
"""


def code(text: str = CODE, path: str = "src/auth/lock.py", **more: object) -> Document:
    values = {
        "id": f"git:shop:{path}",
        "kind": "code",
        "title": path,
        "context": f"shop > {path}",
        "keys": frozenset({path}),
        "repo": "shop",
        "path": path,
        "url": "https://git.example/blob/main/" + path + "#L{line}",
    }
    return document(text, **values | more)


def test_each_kind_of_identifier_is_looked_up(bench: Bench) -> None:
    sha = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"
    ticket = document(
        "Lock users.", id="jira:1", kind="ticket", title="Lock", context="PAY-1 Lock", keys=frozenset({"PAY-1"})
    )
    comment = replace(ticket, id="jira:1:comment:2", kind="comment", text="Agreed: after five.")
    commit = document("Fix the lock", id=f"git:shop@{sha}", kind="commit", keys=frozenset({sha}))
    page = document(
        "Users are blocked after five tries.", id="wiki:login", title="Login rules", keys=frozenset({"Login rules"})
    )
    bench.index(code(), code("x = 1\n", "src/lock.py"), ticket, comment, commit, page)
    assert search(bench, "PAY-1")[:2] == ["jira:1", "jira:1:comment:2"]
    assert search(bench, sha) == search(bench, sha[:8]) == [f"git:shop@{sha}"]
    assert search(bench, "src/auth/lock.py:2") == search(bench, "auth/lock.py") == ["git:shop:src/auth/lock.py"]
    assert set(search(bench, "lock.py")) == {"git:shop:src/auth/lock.py", "git:shop:src/lock.py"}
    assert search(bench, "check_user_lock")[0] == search(bench, "`LockService`")[0] == "git:shop:src/auth/lock.py"
    assert search(bench, '"blocked  After five"') == ["wiki:login"]
    assert search(bench, "Login rules")[0] == "wiki:login"
    assert search(bench, "what does LockService have to do with PAY-1")[:2] == ["git:shop:src/auth/lock.py", "jira:1"]
    assert ids(bench.searcher.lookup("Login rules", EVERYBODY)) == ["wiki:login"]


def test_the_exact_route_embeds_nothing(bench: Bench) -> None:
    bench.index(code())

    searcher = Searcher(bench.store, refusing(bench.embedders))
    for key in ("check_user_lock", "src/auth/lock.py:3", "PAY-4"):
        searcher.search(Query(key), EVERYBODY)
        searcher.lookup(key, EVERYBODY)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sets(st.from_regex(r"\A[A-Z]{2,5}-[1-9][0-9]{0,4}\Z"), min_size=1, max_size=5),
    st.sets(st.from_regex(r"\A[a-z]{3,8}_[a-z]{3,8}\Z"), max_size=3),
    st.data(),
)
def test_whatever_bears_a_key_comes_first_for_the_key_alone(bench: Bench, keys, names, data) -> None:
    """Law 10, among documents that only mention the keys, and with an embedder that must not be asked."""
    every = " ".join(sorted(keys | names))
    bearing = {
        key: document(
            f"About {key}.", id=f"jira:{n}", kind="ticket", source="jira", title=f"{key} It", keys=frozenset({key})
        )
        for n, key in enumerate(sorted(keys))
    }
    bearing |= {
        name: document(
            f"def {name}():\n    return 1\n",
            id=f"git:shop:{name}.py",
            kind="code",
            source="shop",
            title=f"{name}.py",
            repo="shop",
            path=f"{name}.py",
        )
        for name in sorted(names)
    }
    bench.index(*bearing.values(), document(f"{every} {every}", id="wiki:1"), document(every, id="wiki:2"))

    asked = data.draw(st.sampled_from(sorted(bearing)))
    found = Searcher(bench.store, refusing(bench.embedders)).search(Query(asked), EVERYBODY).evidence
    assert found[0].document_id == bearing[asked].id


def test_a_line_leads_to_the_chunk_that_holds_it(bench: Bench) -> None:
    text = "\n\n".join(f"def step_{number}():\n    return {number}" for number in range(100))
    bench.index(code(text))
    found = bench.searcher.search(Query("src/auth/lock.py:200"), EVERYBODY).evidence[0]
    assert found.locator.line is not None
    assert found.locator.line <= 200 < found.locator.line + found.text.count("\n") + 1
    assert found.locator.url == f"https://git.example/blob/main/src/auth/lock.py#L{found.locator.line}"


# Diversity and order.


def test_no_document_and_no_repetition_crowds_out_the_rest(bench: Bench) -> None:
    long = "\n\n".join(f"## Refund part {n}\n\n" + f"A refund of kind {n} takes {n} days. " * 40 for n in range(20))
    copies = [document("The refund is paid to the card.", id=f"wiki:copy{n}", title="Refund") for n in range(6)]
    others = [document(f"Refund desk number {n} is in hall {n}.", id=f"wiki:desk{n}", title="Desk") for n in range(6)]
    bench.index(document(long, id="wiki:long", title="Refund"), *copies, *others)
    found = search(bench, "refund")
    assert len(found) == 10
    assert found.count("wiki:long") <= 6
    assert sum(key.startswith("wiki:copy") for key in found) == 1


def test_every_kind_has_its_places(bench: Bench) -> None:
    pages = [document(f"Lock the user account, rule {n}", id=f"wiki:{n}", title=f"Lock {n}") for n in range(20)]
    tickets = [
        document(f"Account trouble {n}", id=f"jira:{n}", kind="ticket", title=f"T{n}", context=f"PAY-{n}")
        for n in range(3)
    ]
    bench.index(*pages, *tickets, code(), code("def account():\n    pass\n", "src/account.py"))
    found = bench.searcher.search(Query("lock the user account rule", limit=10), EVERYBODY).evidence
    kinds = [evidence.kind for evidence in found]
    assert len(found) == 10
    assert kinds.count("ticket") >= 2
    assert kinds.count("code") >= 2
    assert kinds.count("page") >= 2


def test_the_same_question_gives_the_same_order(bench: Bench) -> None:
    twins = [document(f"Refund {'slow' if n % 2 else 'fast'}", id=f"wiki:{n}", title="Refund") for n in range(300)]
    bench.index(*twins, *about_lockouts())
    first = bench.searcher.search(Query("refund lockout grace"), EVERYBODY).evidence
    assert all(bench.searcher.search(Query("refund lockout grace"), EVERYBODY).evidence == first for _ in range(5))


def test_a_document_opens_in_its_own_order(bench: Bench) -> None:
    text = "\n\n".join(f"## Part {n}\n\n" + f"sentence {n}. " * 150 for n in range(8))
    bench.index(document(text, id="wiki:long"))
    opened = bench.searcher.open_document("wiki:long", EVERYBODY, 100)
    assert "".join(evidence.text for evidence in opened) == text
    assert bench.searcher.open_document("wiki:long", EVERYBODY, 2) == opened[:2]
    assert bench.searcher.open_document("wiki:none", EVERYBODY) == ()


# Filters.


def test_filters_hold_in_every_route(bench: Bench) -> None:
    late = EARLY + timedelta(days=10)
    bench.index(
        code("def lock():\n    pass\n", "src/auth/a.py", id="a"),
        code("def lock():\n    pass  # b\n", "src/web/b.py", id="b", repo="site", branch="dev", development=True),
        code("def lock():\n    pass  # c\n", "tests/test_c.py", id="c", updated=late),
        document("lock", id="page"),
        document("lock", id="other", source="intranet"),
    )
    for question in ("lock", "`lock`", "how does the lock work"):
        assert set(search(bench, question, kinds=frozenset({"code"}))) == {"a", "c"}  # b is of a branch in development
        assert search(bench, question, repos=frozenset({"site"})) == []
        assert set(search(bench, question, branch="dev")) == {"b"}
        assert set(search(bench, question, sources=frozenset({"intranet"}))) == {"other"}
        assert "c" not in search(bench, question, as_of=EARLY + timedelta(days=1))
        assert "a" not in search(bench, question, without=frozenset({"a"}))
        assert set(search(bench, question, path="src/**")) == {"a"}
        assert set(search(bench, question, path="*.py")) == {"a", "c"}
        assert set(search(bench, question, path="src/*/b.py", branch="dev")) == {"b"}
        assert search(bench, question, path="nowhere/*") == []


# What cannot be asked, and what can though it looks bad.


@pytest.mark.parametrize("text", ["", "   ", "?!...", "\x00", "\n\t", "🙂", "@" * 9_000 + "a", "../" * 3_000 + "x"])
def test_a_question_without_a_word_is_refused(bench: Bench, text: str) -> None:
    with pytest.raises(BadQuery):
        bench.searcher.search(Query(text), EVERYBODY)
    with pytest.raises(BadQuery):
        bench.searcher.lookup(text, EVERYBODY)


@pytest.mark.parametrize(
    "text",
    [
        "a\x00b",
        "the of and",
        "a" * 100_000,
        "wort " * 20_000,
        "\ud800 lock",
        "(a+)+$",
        "'; DROP--x",
    ],
)
def test_an_odd_question_gets_an_answer(bench: Bench, text: str) -> None:
    bench.index(document("The account is locked, said the log."))
    result = bench.searcher.search(Query(text, variants=("", "locked")), EVERYBODY)
    assert bool(result.degraded) == (len(text) > 8_000)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=60), limit=st.integers(-1, 5))
def test_no_question_fails_in_another_way(bench: Bench, text: str, limit: int) -> None:
    try:
        assert len(bench.searcher.search(Query(text, limit=limit), EVERYBODY).evidence) <= max(limit, 0)
    except BadQuery:
        assert not any(c.isalnum() for c in text)


def test_reads_go_on_beside_a_writer(bench: Bench) -> None:
    bench.index(*about_lockouts())
    stop = threading.Event()
    failures: list[BaseException] = []

    def read() -> None:
        while not stop.is_set():
            try:
                assert search(bench, "lockout grace period")
            except BaseException as error:  # noqa: BLE001 - carried to the test's own thread
                failures.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    rng = random.Random(1)
    for _ in range(15):
        chosen = rng.sample(about_lockouts(), 5)
        bench.ingest.sync(Shelf([replace(d, version=str(rng.random())) for d in chosen]))
    stop.set()
    for reader in readers:
        reader.join()
    assert not failures


# The pipeline's promises.


def gates(count: int = 30) -> list[Document]:
    return [
        document(f"Gate {n} of the garden is painted green.", id=f"gate:{n}", title=f"Gate {n}") for n in range(count)
    ]


def test_a_rule_is_found_though_it_is_worded_differently(bench: Bench) -> None:
    rule = document("Personnel may take thirty vacation days a year.", id="wiki:rule", title="Annual leave")
    bench.index(rule, *gates(), *about_lockouts())
    assert search(bench, "how many holidays do employees get")[0] == "wiki:rule"


def test_the_context_finds_what_the_content_does_not_say(bench: Bench) -> None:
    """What is written on a page about refunds need not say so."""
    meant = document("It takes up to ten days.", id="wiki:meant", title="Duration", context="Billing > Refunds")
    others = [document(f"It takes up to {n} days.", id=f"wiki:{n}", context=f"Hall {n}") for n in range(20)]
    bench.index(meant, *others)
    assert search(bench, "refunds")[0] == search(bench, "how long do refunds take")[0] == "wiki:meant"


def test_code_that_a_ticket_never_names_is_found_by_the_commits_that_are_like_it(bench: Bench) -> None:
    files = [code(f"class Zygote{n}:\n    size = {n}\n", f"src/z{n}.py") for n in range(20)]
    touched = {"paths": "src/z13.py"}
    fix = document(
        "Refund twice when the card expires", id="git:shop@1", kind="commit", repo="shop", attributes=touched
    )
    only_code = frozenset({"code"})
    bench.index(*files, replace(fix, attributes={}))
    assert search(bench, "customers were paid a refund twice", kinds=only_code)[0] != "git:shop:src/z13.py"
    bench.index(*files, fix)
    assert search(bench, "customers were paid a refund twice", kinds=only_code)[0] == "git:shop:src/z13.py"
    assert "git:shop:src/z13.py" not in search(bench, "customers were paid a refund twice", branch="next")


def test_another_wording_finds_more(bench: Bench) -> None:
    meant = document("The zeppelin tariff is four euros.", id="wiki:meant", title="Prices")
    bench.index(meant, *gates(40), *about_lockouts())
    plain = search(bench, "airship fee", limit=5)
    with_other = bench.searcher.search(Query("airship fee", variants=("zeppelin tariff",), limit=5), EVERYBODY)
    assert ids(with_other.evidence)[0] == "wiki:meant"
    assert plain != ids(with_other.evidence)


@pytest.mark.parametrize("text", ["what did PAY-931 change about the lockout grace period", "PAY-931"])
def test_another_wording_takes_no_place_from_what_is_named(bench: Bench, text: str) -> None:
    bench.index(*about_lockouts(), *gates())
    plain = bench.searcher.search(Query(text), EVERYBODY).evidence
    varied = bench.searcher.search(
        Query(text, variants=("PAY-700 gate", "green garden", "PAY-701")), EVERYBODY
    ).evidence
    named = [evidence for evidence in plain if evidence.route == "exact"]
    assert named
    assert [evidence for evidence in varied if evidence.route == "exact"] == list(varied[: len(named)]) == named


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("アカウントがロックされた", "ja"),
        ("账户锁定规则", "zh"),
        ("บัญชีถูกล็อก", "th"),
        ("계정 잠금 기간은 얼마나 되나요", "ko"),
        ("когда пользователя блокируют", "ru"),
    ],
)
def test_a_question_finds_its_answer_in_every_script(bench: Bench, question: str, meant: str) -> None:
    texts = {
        "ja": "五回失敗するとアカウントがロックされる。",
        "zh": "五次失败后账户锁定一小时。",
        "th": "หลังจากล้มเหลวห้าครั้งบัญชีจะถูกล็อก",
        "ko": "다섯 번 실패하면 계정이 잠금됩니다. 기간은 한 시간.",
        "ru": "После пяти ошибок пользователь блокируется на час.",
    }
    bench.index(*(document(text, id=key, title=key) for key, text in texts.items()), *gates())
    assert search(bench, question)[0] == meant


def test_function_words_lead_nowhere_beside_others(bench: Bench) -> None:
    """Though they are rarer here than what is asked about."""
    bait = document("what does it do, and why does it do what it does", id="wiki:bait", title="Riddle")
    bench.index(bait, *about_lockouts())
    assert "wiki:bait" not in search(bench, "what does the lockout do and why does it", limit=5)


@pytest.mark.parametrize("question", ["to be or not to be", "what does it do", "the"])
def test_function_words_alone_still_find(bench: Bench, question: str) -> None:
    play = document("To be, or not to be: what does it do to the prince?", id="wiki:play", title="Play")
    bench.index(play, *(document(f"Gate {n} stays green.", id=f"gate:{n}", title=f"Gate {n}") for n in range(20)))
    assert search(bench, question)[0] == "wiki:play"


def test_a_title_weighs_more_than_what_follows(bench: Bench) -> None:
    story = "I opened the garden gate, painted it green, and on the way the tariff of the zeppelin came up."
    zeppelin = document("The zeppelin tariff is four euros.", id="wiki:tariff", title="Zeppelin")
    bench.index(zeppelin, *gates())
    assert search(bench, f"Zeppelin tariff is wrong\n{story}")[0] == "wiki:tariff"
    assert search(bench, f"Green garden gate\n{story}")[0].startswith("gate:")


def test_repetitions_are_dropped_but_tickets_stay(bench: Bench) -> None:
    body = "\n".join(f"    total = total + price_{n}" for n in range(20))
    files = [code(f"def total():\n{body}\n    return {n}\n", f"src/total_{n}.py") for n in range(3)]
    text = (
        "The total of a basket is the sum of all prices, less what the customer got off, plus tax and a fee to send it."
    )
    pages = [document(f"{text} {n}", id=f"wiki:{n}", title="Total") for n in range(3)]
    tickets = [document(text, id=f"jira:{n}", kind="ticket", title=f"Total {n}") for n in range(3)]
    bench.index(*files, *pages, *tickets)
    kinds = [key.partition(":")[0] for key in search(bench, "total of prices")]
    assert (kinds.count("git"), kinds.count("wiki"), kinds.count("jira")) == (1, 1, 3)


def test_release_notes_and_commits_take_no_place_of_others(bench: Bench) -> None:
    notes = [
        document(f"Lock hall {n} fixed.", id=f"git:shop:v{n}/CHANGELOG.md", kind="file", path=f"v{n}/CHANGELOG.md")
        for n in range(12)
    ]
    commits = [document(f"Fix the lock of hall {n}", id=f"git:shop@{n}", kind="commit") for n in range(12)]
    pages = [document(f"Halls are many, and {n} have a lock.", id=f"wiki:{n}", title=f"Halls {n}") for n in range(12)]
    bench.index(*notes, *commits, *pages)
    assert all(key.startswith("wiki:") for key in search(bench, "fix lock hall"))
    assert search(bench, "fix lock hall", kinds=frozenset({"commit"}))


def test_chunks_of_one_document_stand_in_its_order(bench: Bench) -> None:
    """Though the last of them is the best."""
    parts = [f"## Part {n}\n\n" + f"The lock of hall {n} is {'rusty and ' * (n > 5)}old. " * 40 for n in range(8)]
    bench.index(document("\n\n".join(parts), id="wiki:long", title="Halls"), *gates(3))
    result = bench.searcher.search(Query("is the lock rusty"), EVERYBODY)
    mine = [int(evidence.id[-12:], 16) for evidence in result.evidence if evidence.document_id == "wiki:long"]
    assert result.trace is not None
    fused = [int(one.id[-12:], 16) for one in result.trace.candidates if one.document_id == "wiki:long"]
    assert fused != sorted(fused)
    assert len(mine) > 2
    assert mine == sorted(mine)
