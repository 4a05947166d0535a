"""Which commit a version names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.probes.version import Named, commit_id, named, repository_of, tag_of
from tests.core.probes.probing import COMMIT, OTHER

HEX = "0123456789abcdef"
SHORT = (
    st.text(HEX, min_size=7, max_size=12)
    .filter(lambda it: any(c.isdigit() for c in it) and any(c.isalpha() for c in it) and it[:2] not in {"19", "20"})
    .filter(lambda it: not it.startswith("d"))
)
WHOLE = st.text(HEX, min_size=40, max_size=40)


@pytest.mark.parametrize(
    ("version", "commit", "dirty"),
    [
        (COMMIT, COMMIT, False),
        ("4f2a91c", "4f2a91c", False),
        ("sha-4f2a91c", "4f2a91c", False),
        ("sha-1234567", "1234567", False),
        ("git-4f2a91c0", "4f2a91c0", False),
        ("main-4f2a91c0", "4f2a91c0", False),
        ("2026.11.29-4f2a91c", "4f2a91c", False),
        ("20261129-4f2a91c", "4f2a91c", False),
        ("20261129120000-4f2a91c", "4f2a91c", False),
        ("v1.4.2-3-g4f2a91c", "4f2a91c", False),
        ("v1.4.2-3-g4f2a91c-dirty", "4f2a91c", True),
        ("v1.4.2-3-gdefaced", "defaced", False),
        ("v1.4.2-dirty", "", True),
        ("4f2a91c-dirty", "4f2a91c", True),
        ("1.2.dev3+g4f2a91c", "4f2a91c", False),
        ("1.2.dev3+g4f2a91c.d20261129", "4f2a91c", True),
        ("1.2+d20261129", "", True),
        ("1.4.2+4f2a91c", "4f2a91c", False),
        (f"release-{COMMIT}", COMMIT, False),
        (f"main-{COMMIT[:8]}-{COMMIT}", COMMIT, False),
        ("4f2a91c-4f2a91c0d3", "4f2a91c0d3", False),
        ("1" * 40, "1" * 40, False),
    ],
)
def test_a_commit_is_recognised(version, commit, dirty):
    assert named(version) == Named(commit, dirty)


@pytest.mark.parametrize(
    "version",
    [
        "",
        "latest",
        "v2.14.1",
        "1.0.0",
        "release-7",
        "20261129",
        "202611291530",
        "20261129a",
        "1234567",
        "defaced",
        "feature-effaced-facade",
        "4f2a91",  # too short
        f"sha256:{'a1' * 32}",
        f"booking@sha256:{'a1' * 32}",
        "a1" * 32,  # an image's id is written so as well
        COMMIT.upper(),
        f"x{COMMIT}",
        f"{COMMIT[:8]}-{OTHER[:8]}",  # two that differ
        f"{COMMIT}-{OTHER}",
        "4f2a91c0-1b2c-4d3e-8f90-a1b2c3d4e5f6",
        "4f2a91c " * 100,
    ],
)
def test_what_is_none_is_not_taken_for_one(version):
    assert named(version).commit == ""


@given(
    SHORT | WHOLE, st.sampled_from(["{}", "sha-{}", "main-{}", "release/7-{}", "v1.4.2-3-g{}", "1.2+g{}", "v1.4_{}"])
)
def test_a_commit_is_found_wherever_it_is_written(commit, form):
    version = form.format(commit)
    assert named(version) == Named(commit)
    assert named(f"{version}-dirty") == Named(commit, dirty=True)


@given(st.text(HEX + "gdirtyv.-_+:@ ", max_size=80))
def test_only_what_is_there_is_found(version):
    found = named(version).commit
    assert found == "" or (found in version and 7 <= len(found) <= 40 and set(found) <= set(HEX))


@given(st.integers(0, 10**39 - 1))
def test_a_number_is_no_commit(number):
    assert named(str(number)).commit == ""
    assert named(f"build-{number}").commit == ""


@given(st.text(HEX, min_size=64, max_size=64))
def test_a_digest_is_no_commit(digest):
    assert named(f"registry:5000/a/b@sha256:{digest}") == Named()
    assert named(f"sha256:{digest}") == Named()


@pytest.mark.parametrize(
    ("told", "commit", "dirty"),
    [
        (COMMIT, COMMIT, False),
        (COMMIT.upper(), COMMIT, False),
        ("ab" * 32, "ab" * 32, False),
        (" 1234567\n", "1234567", False),
        ("4f2a91c-dirty", "4f2a91c", True),
        ("4f2a91", "", False),
        ("unknown", "", False),
        (f"{COMMIT} (main)", "", False),
        ("", "", False),
    ],
)
def test_what_is_told_as_a_commit(told, commit, dirty):
    assert commit_id(told) == Named(commit, dirty)


@pytest.mark.parametrize(
    ("image", "repository", "tag"),
    [
        ("booking", "booking", ""),
        ("booking:v2", "booking", "v2"),
        ("registry.example:5000/acme/booking", "registry.example:5000/acme/booking", ""),
        ("registry.example:5000/acme/booking:v2", "registry.example:5000/acme/booking", "v2"),
        (f"acme/booking:v2@sha256:{'a1' * 32}", "acme/booking", "v2"),
        (f"acme/booking@sha256:{'a1' * 32}", "acme/booking", ""),
        (f"sha256:{'a1' * 32}", "sha256", ""),
        ("", "", ""),
    ],
)
def test_the_parts_of_an_image(image, repository, tag):
    assert (repository_of(image), tag_of(image)) == (repository, tag)
