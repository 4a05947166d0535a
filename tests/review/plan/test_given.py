"""How a plan is read."""

from hypothesis import given as generated
from hypothesis import strategies as st

from review.plan.diff import split
from review.plan.errors import BadPlan
from review.plan.given import read
from review.plan.known import Known
from tests.review.plan.world import BUG, CODE, FIX, POLICY

DIFF = """I change the lock.

```diff
diff --git a/src/old.py b/src/new.py
similarity index 90%
rename from src/old.py
rename to src/new.py
--- a/src/old.py
+++ b/src/new.py
@@ -10,3 +10,3 @@ def sign_in(account):
 kept
--- a comment of SQL
-MAX_TRIES = 3
+MAX_TRIES = 5
```
Then I run the tests.
"""


def test_a_diff_is_read_apart_from_the_words_around_it() -> None:
    diff = split(DIFF)
    assert diff.files == ("src/old.py", "src/new.py")
    assert diff.places == ("def sign_in(account):",)
    assert diff.added == ("MAX_TRIES = 5",)
    assert "MAX_TRIES = 3" in diff.removed
    assert diff.rest == "I change the lock.\n\n```diff\n```\nThen I run the tests."
    assert read(DIFF).defined[:2] == ("sign_in", "MAX_TRIES")


@generated(st.text(max_size=400))
def test_every_line_is_read_once(text: str) -> None:
    diff = split(text)
    assert set(diff.rest.splitlines()) <= set(text.splitlines())


@generated(st.text(max_size=400))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read(text)
    except BadPlan:
        assert not any(map(str.isalnum, text))


def test_a_markdown_rule_is_no_diff() -> None:
    assert split("Title\n--- \nText\n").files == ()


def test_what_is_known_by_name() -> None:
    known = Known(read("SHOP-97, the account security policy, accounts.py and abc1234 were read."))
    assert known.names(BUG)
    assert known.names(POLICY)
    assert known.names(CODE)
    assert known.names(FIX)
    other = Known(read("Other accounts and policies for security."))
    assert not any(map(other.names, (BUG, POLICY, CODE, FIX)))


def test_a_title_with_a_year_behind_it_is_another_page() -> None:
    assert not Known(read("By the account security policy 2024 it ends by itself.")).names(POLICY)
    assert Known(read("The account security policy 2024 is replaced by the account security policy.")).names(POLICY)


def test_what_is_known_by_its_words() -> None:
    rule = "A passenger's account is locked after 5 failed sign-in attempts in a row."
    assert Known(read(f"As the page says: “{rule}”")).says(rule)
    assert Known(read("Lock the passenger's account after 5 failed attempts of sign-in in a row.")).says(rule)
    assert not Known(read("Lock the passenger's account after 8 failed attempts of sign-in in a row.")).says(rule)
    assert not Known(read("Accounts are locked.")).says(rule)
