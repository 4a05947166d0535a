"""Nothing that looks like a credential is kept, and nothing else is touched."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.masking import masked

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
SECRETS = {
    "aws": "AKIAABCDEFGHIJKLMN0P",
    "github": "ghp_" + "a1" * 18,
    "github fine-grained": "github_pat_" + "A1" * 30,
    "gitlab": "glpat-" + "a1" * 10,
    "slack": "xoxb-123456789012-123456789012-" + "aB1" * 8,
    "slack app": "xapp-1-A012-123-" + "a1" * 16,
    "atlassian": "ATATT3xFfGF0" + "aB1_" * 20,
    "anthropic": "sk-ant-api03-" + "aB1-" * 12,
    "google": "AIza" + "aB1_-" * 7,
    "signed token": JWT,
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
@pytest.mark.parametrize("around", ["{}", "token {} in a sentence.", "| key | {} |", "`{}`", "x\n{}\ny"])
def test_a_token_of_a_known_form_is_masked_wherever_it_stands(secret: str, around: str) -> None:
    text = around.format(secret)
    hidden, count = masked(text)
    assert hidden == around.format("*" * len(secret))
    assert count == 1


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('password = "hunter2-hunter2"', "hunter2-hunter2"),
        ("DB_PASSWORD: s3cretValue99", "s3cretValue99"),
        ('{"api_key": "0a1b2c3d4e5f"}', "0a1b2c3d4e5f"),
        ("clientSecret := `aB3dE5gH7`", "aB3dE5gH7"),
        ("postgres://app:s3cr3tPw@db.example/shop", "s3cr3tPw"),
        ("Authorization: Bearer abcdef1234567890abcdef", "abcdef1234567890abcdef"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEow12345678\nabcd\n-----END RSA PRIVATE KEY-----",
            "\nMIIEow12345678\nabcd\n",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIEow12345678 cut off", "\nMIIEow12345678 cut off"),
    ],
)
def test_what_is_said_to_be_secret_is_masked(text: str, secret: str) -> None:
    assert masked(text) == (text.replace(secret, "*" * len(secret)), 1)


@pytest.mark.parametrize(
    "text",
    [
        "The password must have 12 characters, one of them a digit.",
        "password = get_password(user1)",
        "token = request.headers['X-Token-1']",
        "secret: ${VAULT_SECRET_1}",
        "api_key = os.environ['API_KEY_2']",
        "password: changeme123",
        "PAY-731 locks the account; see src/lock.py:120 and commit 4f2a9c1d",
        "a checksum 9e107d9d372bb6826bd81d3542a419d6",
        "https://wiki.example:8443/display/HELP",
        "Basic rules of the house and Bearer of news",
    ],
)
def test_other_text_is_left_alone(text: str) -> None:
    assert masked(text) == (text, 0)


PIECES = st.sampled_from(
    [*SECRETS.values(), " ", "\n", "password=", '"', "://a:", "@", "eyJ", "Bearer ", "=", "\u0130"]
)


@given(st.lists(PIECES | st.text(max_size=12), max_size=30).map(" ".join))
def test_masks_keep_every_place_and_masking_again_changes_nothing(text: str) -> None:
    hidden, count = masked(text)
    assert len(hidden) == len(text)
    assert all(new in (old, "*") for old, new in zip(text, hidden, strict=True))
    assert (hidden != text) == (count > 0)
    assert masked(hidden) == (hidden, 0)
    whole = [secret for secret in SECRETS.values() if re.search(rf"(?<![\\w-]){re.escape(secret)}(?![\\w-])", hidden)]
    assert not whole
