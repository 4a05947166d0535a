"""Languages of answers, told by their letters and, in Latin ones, by the product's own words."""

import pytest

from evals.questions.languages import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The account is locked after five attempts.", "en"),
        ("Das Konto wird nach fünf Versuchen gesperrt.", "de"),
        ("계정은 다섯 번 실패하면 잠깁니다.", "ko"),
        ("계정은 5회 실패 후 잠깁니다: MAX_FAILED_SIGN_INS 값은 src/booking/accounts.py 파일에 있습니다.", "ko"),
        ("アカウントは五回の失敗でロックされます。", "ja"),
        ("帐户在五次失败后被锁定。", "zh"),
        ("Аккаунт блокируется после пяти попыток.", "cyrillic"),
        ("Laut `accounts.py` wird das Konto nach MAX_FAILED_SIGN_INS = 10 gesperrt, nicht früher.", "de"),
        ("In `def lock_account(self)` the account is locked.", "en"),
    ],
)
def test_prose_is_told_by_its_language_whatever_names_stand_in_it(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    ["", "42", "MAX_FAILED_SIGN_INS = 10", "BKG-142, https://jira.example/browse/BKG-142", "`die und das` 5", "Ja."],
)
def test_what_has_no_prose_has_no_language(text: str) -> None:
    assert language_of(text) is None
