"""The exact route: what identifiers lead to, and what they must not lead to."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.exact import ExactRoute
from core.keys import Key, parse
from core.names import unfound
from core.search import Searcher
from core.store.base import Passage, Scope, Store
from core.store.glob import glob_pattern
from core.types import ORG, Audience, Document, Filters, Query
from tests.core.parts import EARLY, EVERYBODY, Bench, document, refusing

INSIDERS = Audience(frozenset({ORG, "jira:SEC", "repo:vault"}))
SHA = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"

LOCK = """class LockService:
    def check_user_lock(self, user):
        return user.locked

    def get(self):
        raise ValueError(f"cannot reshape array of size {user}")


@app.post("/v1/users/{user_id}/lock")
def lock(user):
    return settings["payment.retry.max-attempts"]
"""
SCHEMA = "CREATE TABLE users (id INT, email TEXT);\nCREATE TABLE orders (id INT, email TEXT);\n"
MODELS = "class OrderItem:\n    price = Column()\n\n\nclass Invoice:\n    price = Column()\n"
SETTINGS = "payment.retry.max-attempts=3\nPAYMENT_RETRY_MAX=3\nspring.datasource.url=jdbc:x\n"


# What tests of searching draw from: identifiers, and questions that hold one.

TICKETS = st.from_regex(r"[A-Z]{2,5}-[1-9][0-9]{0,4}", fullmatch=True)
NAMES = st.from_regex(r"[a-z]{3,8}_[a-z]{3,8}|[A-Z][a-z]{2,7}[A-Z][a-z]{2,7}", fullmatch=True)
FILES = st.from_regex(r"([a-z]{2,6}/){1,3}[a-z]{3,8}\.(py|ts|md)", fullmatch=True)
SENTENCES = (
    "what did {} change",
    "{}: why is it so?",
    "see ({}), please",
    "что изменил {} в базе",
    "{}에서 뭐가 바뀌었나요",
    "{}を参照",
)


def questions(keys: st.SearchStrategy[str] = TICKETS | NAMES | FILES) -> st.SearchStrategy[tuple[str, str]]:
    """An identifier, and a question with words around it, in several languages."""
    return st.tuples(keys, st.sampled_from(SENTENCES)).map(lambda drawn: (drawn[0], drawn[1].format(drawn[0])))


def code(text: str, path: str, **more: object) -> Document:
    repo = more.get("repo", "shop")
    values = {
        "id": f"git:{repo}:{path}",
        "kind": "code",
        "title": path,
        "context": f"{repo} > {path}",
        "keys": frozenset({path, path.rpartition("/")[2]}),
        "repo": repo,
        "path": path,
        "branch": "main",
        "url": f"https://git.example/acme/{repo}/blob/main/{path}#L{{line}}",
    }
    return document(text, **values | more)


def ticket(key: str, text: str, **more: object) -> Document:
    values = {"id": f"jira:{key}", "kind": "ticket", "title": key, "context": f"PAY > {key}", "keys": frozenset({key})}
    return document(text, **values | more)


def commit(sha: str, text: str, **more: object) -> Document:
    repo = more.get("repo", "shop")
    subject = text.partition("\n")[0]
    values = {
        "id": f"git:{repo}@{sha}",
        "kind": "commit",
        "title": subject,
        "context": f"{repo} > {sha[:12]} {subject}",
        "keys": frozenset({sha, sha[:7], sha[:12], *re.findall(r"PAY-\d+", text)}),
        "repo": repo,
        "url": f"https://git.example/acme/{repo}/commit/{sha}",
    }
    return document(text, **values | more)


def company() -> list[Document]:
    steps = "\n\n".join(f"def step_{number}():\n    return {number}" for number in range(400))
    return [
        code(LOCK, "src/auth/lock.py"),
        code("def unrelated():\n    return 1\n", "src/web/lock.py"),
        code(steps, "src/long.py"),
        code("x = 1\n", "main.py"),
        code("x = 2\n", "tools/main.py"),
        code(SCHEMA, "db/schema.sql"),
        code(MODELS, "shop/models.py"),
        code(
            "class Secret:\n    def check_vault_key(self):\n        pass\n",
            "src/vault.py",
            repo="vault",
            labels=frozenset({"repo:vault"}),
        ),
        document(
            SETTINGS,
            id="git:shop:app.properties",
            kind="file",
            path="conf/app.properties",
            repo="shop",
            title="app.properties",
        ),
        ticket("PAY-731", "Lock users after five tries."),
        ticket("PAY-7", "Another, see PAY-731 for the lock."),
        ticket("SEC-9", "The vault key leaks.", labels=frozenset({"jira:SEC"})),
        document(
            "Agreed.",
            id="jira:PAY-731:comment:1",
            kind="comment",
            title="PAY-731, comment",
            context="PAY > PAY-731 > comment",
        ),
        commit(SHA, "PAY-731 Lock accounts (#12)\n\nFiles:\n- src/auth/lock.py"),
        commit("1" * 39 + "a", "Merge pull request #7 from acme/fix\n\nBump to 1.12"),
        commit("2" * 39 + "b", "Say less (#12)", repo="web"),
        document(
            "Users are blocked after five tries.",
            id="wiki:98312",
            title="Login rules",
            keys=frozenset({"Login rules", "98312"}),
        ),
        document("It said: cannot reshape array of size 3. Ask Kim.", id="wiki:log", title="Log"),
    ]


@pytest.fixture
def route(bench: Bench) -> ExactRoute:
    bench.index(*company())
    return ExactRoute(bench.store)


def ids(passages: list[Passage]) -> list[str]:
    return list(dict.fromkeys(passage.document_id for passage in passages))


def found(route: ExactRoute, text: str, audience: Audience = EVERYBODY, **filters: Any) -> list[str]:
    """The documents that the first identifier of a text leads to, when nothing else is asked."""
    return ids(route.find(parse(text).found[0], Scope(audience, Filters(**filters)), 10))


def pinned(route: ExactRoute, text: str, audience: Audience = EVERYBODY) -> list[str]:
    """The documents that the identifiers of a text lead to, when more is asked."""
    return ids([p for key in parse(text).found for p in route.among_words(key, Scope(audience))])


LOCK_FILE = "git:shop:src/auth/lock.py"
COMMIT = f"git:shop@{SHA}"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("PAY-731", "jira:PAY-731"),
        ("pay-731", "jira:PAY-731"),
        ("Pay\u2011731", "jira:PAY-731"),
        ("PAY\u2013731", "jira:PAY-731"),
        ("https://acme.atlassian.net/browse/PAY-731", "jira:PAY-731"),
        (SHA, COMMIT),
        (SHA[:9], COMMIT),
        (f"https://github.com/acme/shop/commit/{SHA}", COMMIT),
        ("#12", COMMIT),
        ("PR 12", COMMIT),
        ("shop#12", COMMIT),
        ("https://github.com/acme/web/pull/12", f"git:web@{'2' * 39}b"),
        ("pull request #7", f"git:shop@{'1' * 39}a"),
        ("PR-7", f"git:shop@{'1' * 39}a"),
        ("https://acme.atlassian.net/wiki/spaces/SP/pages/98312/Old+title", "wiki:98312"),
        ("https://wiki.x/display/SP/Login+rules", "wiki:98312"),
        ('"Login rules"', "wiki:98312"),
        ("src/auth/lock.py", LOCK_FILE),
        ("auth/lock.py:2", LOCK_FILE),
        ("/srv/app/src/auth/lock.py:2", LOCK_FILE),
        ("shop/src/auth/lock.py", LOCK_FILE),
        ("C:\\work\\shop\\src\\auth\\lock.py:2", LOCK_FILE),
        ('File "/usr/src/auth/lock.py", line 2', LOCK_FILE),
        ("查看src/auth/lock.py文件", LOCK_FILE),
        ("/app/main.py", "git:shop:main.py"),
        ("https://github.com/acme/shop/blob/feature/x/src/auth/lock.py#L2", LOCK_FILE),
        ("LockService", LOCK_FILE),
        ("LockService.check_user_lock", LOCK_FILE),
        ("auth.LockService.check_user_lock()", LOCK_FILE),
        ("LockService::check_user_lock", LOCK_FILE),
        ("LockService#check_user_lock", LOCK_FILE),
        ("service->check_user_lock", None),
        ("#check_user_lock", LOCK_FILE),
        ("lock.check_user_lock", LOCK_FILE),
        ("users.email", "git:shop:db/schema.sql"),
        ("order_items.price", "git:shop:shop/models.py"),
        ("payment.retry.max-attempts", "git:shop:app.properties"),
        ("PAYMENT_RETRY_MAX", "git:shop:app.properties"),
        ("spring.datasource.url", "git:shop:app.properties"),
        ("POST /v1/users/{id}/lock", LOCK_FILE),
        ("/v1/users/42/lock", LOCK_FILE),
        ('"cannot  reshape array of size 3"', "wiki:log"),
        ("src/nowhere/lock.py", None),
        ("PAY-9999", None),
    ],
)
def test_where_an_identifier_leads(route: ExactRoute, text: str, first: str | None) -> None:
    assert found(route, text)[:1] == ([first] if first else [])


def test_an_error_is_found_in_the_code_that_raises_it_too(route: ExactRoute) -> None:
    assert set(found(route, '"cannot reshape array of size 3"')) == {"wiki:log", LOCK_FILE}
    assert set(pinned(route, "what means ValueError: cannot reshape array of size 3")) >= {"wiki:log", LOCK_FILE}


def test_all_that_belongs_to_a_ticket_comes_after_it(route: ExactRoute) -> None:
    assert found(route, "PAY-731")[:2] == ["jira:PAY-731", COMMIT]
    assert set(found(route, "PAY-731")[2:]) == {"jira:PAY-7", "jira:PAY-731:comment:1"}


def test_a_pull_request_is_one_of_its_repository(route: ExactRoute) -> None:
    assert found(route, "shop#12") == [COMMIT]
    assert found(route, "other#12") == []
    assert set(found(route, "#12")) == {COMMIT, f"git:web@{'2' * 39}b"}


@pytest.mark.parametrize("line", [1, 2, 3, 4, 700, 1198, 1199])
def test_a_line_leads_to_the_passage_that_holds_it(route: ExactRoute, line: int) -> None:
    first = route.bearing(Key("path", "src/long.py", line), Scope(EVERYBODY))[0]
    assert first.line is not None
    assert first.line <= line < first.line + first.text.count("\n") + 1


def test_a_file_without_lines_opens_at_its_beginning(route: ExactRoute) -> None:
    assert found(route, "conf/app.properties:2") == ["git:shop:app.properties"]


def test_a_range_of_lines_leads_to_all_that_holds_it(route: ExactRoute) -> None:
    held = route.bearing(Key("path", "src/long.py", 300, 420), Scope(EVERYBODY))
    text = "".join(passage.text for passage in sorted(held, key=lambda passage: passage.ordinal))
    assert "step_100()" in text
    assert "step_139()" in text


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize(
    ("key", "document_id"),
    [("PAY-731", "jira:PAY-731"), ("src/auth/lock.py", LOCK_FILE), ("check_user_lock", LOCK_FILE), (SHA[:8], COMMIT)],
)
def test_an_identifier_is_found_in_every_sentence(route: ExactRoute, sentence: str, key: str, document_id: str) -> None:
    assert document_id in pinned(route, sentence.format(key))


def test_two_identifiers_of_one_sentence(route: ExactRoute) -> None:
    assert {"jira:PAY-731", LOCK_FILE} <= set(pinned(route, "is PAY-731 done in `LockService`?"))
    assert {"jira:PAY-731", "jira:PAY-7"} <= set(pinned(route, "https://j.x/browse/PAY-731 against pay-7, please"))


def test_a_common_name_is_a_word_among_words(bench: Bench) -> None:
    many = [code(f"class C{n}:\n    def get(self):\n        pass\n", f"src/c{n}.py") for n in range(9)]
    bench.index(*many, document("The status of the get request", id="wiki:1"), code("def rare():\n    pass\n", "r.py"))
    route = ExactRoute(bench.store)
    assert pinned(route, "how does `get` work") == pinned(route, "what is the `status` of it") == []
    assert pinned(route, "how does `rare` work") == ["git:shop:r.py"]
    assert pinned(route, "how does `C3.get` work") == ["git:shop:src/c3.py"]
    assert len(found(route, "`get`")) == 10
    assert pinned(route, "top-10 of utf-8 and step-1") == []


def test_the_ticket_comes_first_of_hundreds_that_name_it(bench: Bench) -> None:
    commits = [commit(f"{n:040x}", f"PAY-1 part {n}") for n in range(0x1000, 0x1000 + 150)]
    bench.index(*commits, ticket("PAY-1", "The large one."))
    assert found(ExactRoute(bench.store), "PAY-1")[0] == "jira:PAY-1"


def test_keys_alone_are_answered_exactly_or_not_at_all(bench: Bench) -> None:
    """With an embedder that must not be asked."""
    bench.index(*company())
    searcher = Searcher(bench.store, refusing(bench.embedders))
    for text in (
        "PAY-731",
        "PAY-731, src/auth/lock.py:2",
        "LockService.check_user_lock",
        f"({SHA[:8]})",
        "SEC-9",
        "PAY-99",
    ):
        evidence = searcher.search(Query(text), EVERYBODY).evidence
        assert all(one.route == "exact" for one in evidence)
        assert bool(evidence) == (text not in {"SEC-9", "PAY-99"})


# Field reports R1 and R2, harder: nothing bears the key, two passages of many mention it, in whatever spelling.


@pytest.mark.parametrize(
    "spelling",
    [
        "PAY-931",
        "pay-931",
        "PAY\u2011931",
        "PAY\u2013931",
        "\uff30\uff21\uff39\uff0d\uff19\uff13\uff11",
        "PAY\u200b-931",
        "(PAY-931).",
        "`PAY-931`",
        "https://acme.atlassian.net/browse/PAY-931?page=2",
    ],
)
def test_a_key_that_is_only_mentioned(bench: Bench, spelling: str) -> None:
    others = [
        document(f"PAY-{n} changes the lockout, and so does PAY-{n}931.", id=f"wiki:{n}") for n in range(300, 340)
    ]
    told = [
        document("См. PAY-931 про вход.", id="wiki:ru"),
        document("PAY-931에서 잠금", id="wiki:ko"),
    ]
    bench.index(*others, *told)
    route = ExactRoute(bench.store)
    assert set(found(route, spelling)) == {"wiki:ru", "wiki:ko"}
    if spelling != "pay-931":  # like `utf-8`: among words it must be borne by something
        assert set(pinned(route, f"왜 {spelling} 변경")) == {"wiki:ru", "wiki:ko"}


def test_phrases_and_names_of_other_scripts(bench: Bench) -> None:
    bench.index(
        document(
            "Сервис PaymentGateway пишет журнал.",
            id="ru",
            title="",
        ),
        document("アカウントをロックする\u3002", id="ja", title=""),
        document("Das Büro in Zürich prüft.", id="de", title=""),
    )
    route = ExactRoute(bench.store)
    assert found(route, "«ПИШЕТ журнал»") == ["ru"]
    assert pinned(route, "что такое PaymentGateway тут") == ["ru"]
    assert found(route, "\u300cロックする\u300d") == ["ja"]
    assert found(route, "\u201eBüro in Zürich\u201c") == ["de"]


# Who may read what.


class Watched:
    """A store that remembers what was asked of it, values aside."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., object]:
        def ask(*given: object, **more: object) -> object:
            self.asked.append(name)
            return getattr(self._store, name)(*given, **more)

        return ask


@pytest.mark.parametrize(
    ("hidden", "missing"),
    [
        ("SEC-9", "SEC-8"),
        ("sec-9", "sec-8"),
        ("src/vault.py:2", "src/vaulx.py:2"),
        ("/srv/app/src/vault.py", "/srv/app/src/vaulx.py"),
        ("Secret.check_vault_key", "Secret.check_vault_kex"),
        ("`check_vault_key`", "`check_vault_kex`"),
        ('"The vault key leaks"', '"The vault kex leaks"'),
    ],
)
def test_what_is_hidden_is_as_what_is_not_there(bench: Bench, hidden: str, missing: str) -> None:
    """The same answer, the same sentence, and the same things asked of the store."""
    bench.index(*company())
    asked, told = [], []
    for text in (hidden, missing):
        store: Any = Watched(bench.store)
        route, key = ExactRoute(store), parse(text).found[0]
        assert route.find(key, Scope(EVERYBODY), 10) == route.among_words(key, Scope(EVERYBODY)) == []
        asked.append(list(store.asked))
        told.append(unfound([key]).replace(key.text, ""))
        if text == hidden:
            assert route.find(key, Scope(INSIDERS), 10)
    assert asked[0] == asked[1]
    assert told[0] == told[1]


SCOPES = st.builds(
    Scope,
    st.sampled_from([EVERYBODY, INSIDERS, Audience(frozenset({"jira:SEC"})), Audience(frozenset())]),
    st.builds(
        Filters,
        sources=st.sampled_from([frozenset[str](), frozenset({"wiki"}), frozenset({"none"})]),
        kinds=st.sampled_from(
            [frozenset[str](), frozenset({"code"}), frozenset({"ticket", "page"}), frozenset({"commit"})]
        ),
        repos=st.sampled_from([frozenset[str](), frozenset({"shop"}), frozenset({"vault", "web"})]),
        path=st.sampled_from([None, "src/**", "*.py", "none/*"]),
        languages=st.sampled_from([frozenset[str](), frozenset({"python"})]),
        branch=st.sampled_from([None, "main"]),
        as_of=st.sampled_from([None, EARLY, EARLY - timedelta(days=1)]),
        without=st.sampled_from([frozenset[str](), frozenset({LOCK_FILE, "jira:PAY-731"})]),
    ),
)
ASKED = st.sampled_from(
    [
        "PAY-731",
        "pay-7",
        "SEC-9",
        "#12",
        "shop#12",
        "lock.py",
        "src/auth/lock.py:2",
        "/srv/src/vault.py",
        "check_vault_key",
        "LockService",
        "Secret.check_vault_key",
        "users.email",
        "PAYMENT_RETRY_MAX",
        "/v1/users/1/lock",
        "`get`",
        "`lock`",
        "9f8e7d6",
    ]
) | st.text(max_size=20)


def in_scope(passage: Passage, scope: Scope) -> bool:
    wanted = scope.filters
    return all(
        [
            scope.audience.may_read(passage.labels),
            not wanted.sources or passage.source in wanted.sources,
            not wanted.kinds or passage.kind in wanted.kinds,
            not wanted.repos or passage.repo in wanted.repos,
            wanted.path is None or glob_pattern(wanted.path).fullmatch(passage.path or ""),
            not wanted.languages or passage.language in wanted.languages,
            wanted.branch is None or passage.branch == wanted.branch,
            wanted.as_of is None or passage.updated <= wanted.as_of,
            passage.document_id not in wanted.without,
        ]
    )


@pytest.fixture(scope="module")
def everything(folder_bench: Bench) -> ExactRoute:
    folder_bench.index(*company())
    return ExactRoute(folder_bench.store)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(asked=ASKED, scope=SCOPES, limit=st.integers(1, 12))
def test_all_that_is_found_is_in_scope(everything: ExactRoute, asked: str, scope: Scope, limit: int) -> None:
    for key in parse(asked).found:
        exact = everything.find(key, scope, limit)
        assert len(exact) <= limit
        assert exact == everything.find(key, scope, limit)
        for passage in [*exact, *everything.bearing(key, scope), *everything.among_words(key, scope)]:
            assert in_scope(passage, scope)


@pytest.mark.parametrize("text", ["a%00b", "%ud800", "x" * 1_900, "../" * 600, "%2e%2e%2f" * 200])
def test_an_odd_address_leads_nowhere(route: ExactRoute, text: str) -> None:
    for form in ("https://github.com/acme/shop/blob/main/{}/b.py#L9999999", "https://wiki.x/display/SP/{}", "`a/{}`"):
        for key in parse(form.format(text)).found:
            assert route.find(key, Scope(EVERYBODY), 10) == route.among_words(key, Scope(EVERYBODY)) == []


@settings(max_examples=100, deadline=None)
@given(questions())
def test_a_question_around_an_identifier_names_it(drawn: tuple[str, str]) -> None:
    key, question = drawn
    keys = parse(question)
    assert any(one.text == key for one in keys.found) or "を" in question
    assert keys.words
    assert parse(key).alone
