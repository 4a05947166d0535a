"""Addresses that the hosts' answers hold open in a browser."""

import pytest
import requests

from tests.sandbox.hosts import LISTS, ORG, HostClient, hosted, roots


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    with hosted(tmp_path_factory.mktemp("hosts")) as running:
        yield running


@pytest.mark.parametrize("kind", sorted(LISTS))
def test_a_pull_request_and_a_file_at_its_head(box, kind):
    found = HostClient(roots(box)[kind], box.git_host.token).get(f"{LISTS[kind]}/29").json()
    match kind:
        case "github":
            url = found["html_url"]
        case "gitlab":
            url = found["web_url"]
        case "bitbucket-cloud":
            url = found["links"]["html"]["href"]
        case _:
            url = found["links"]["self"][0]["href"]
    page = requests.get(url, timeout=10)
    assert page.status_code == 200
    assert "BKG-142 Lock an account by the shared counter" in page.text
    assert "MAX_FAILED_SIGN_INS = 8" in page.text
    links = [part.partition('"')[0] for part in page.text.split('<h3><a href="')[1:]]
    assert len(links) == 4
    host = url.partition(f"/{ORG}/")[0].partition("/projects/")[0]
    file = requests.get(host + links[0], timeout=10)
    assert file.status_code == 200
    assert "MAX_FAILED_SIGN_INS = 8" in file.text


def test_the_anchors_are_the_vendors_own(box):
    head = box.git_host.pull("booking-api", 29).head
    anchors = {
        f"{box.github_url}/{ORG}/booking-api/blob/{head}/README.md": 'id="L3"',
        f"{box.gitlab_url}/{ORG}/booking-api/-/blob/{head}/README.md": 'id="L3"',
        f"{box.bitbucket_cloud_url}/{ORG}/booking-api/src/{head}/README.md": 'id="lines-3"',
        f"{box.bitbucket_data_center_url}/projects/SKERRYLINE/repos/booking-api/browse/README.md?at={head}": 'id="3"',
    }
    for url, anchor in anchors.items():
        assert anchor in requests.get(url, timeout=10).text, url


def test_folders_lead_on(box):
    head = box.git_host.pull("booking-api", 29).head
    url = f"{box.bitbucket_data_center_url}/projects/SKERRYLINE/repos/booking-api/browse/src/booking?at={head}"
    listing = requests.get(url, timeout=10).text
    assert f'href="/projects/SKERRYLINE/repos/booking-api/browse/src/booking/mails.py?at={head}"' in listing


@pytest.mark.parametrize(
    "path",
    [
        "nobody/booking-api/pull/29",
        f"{ORG}/nothing/pull/1",
        f"{ORG}/booking-api/pull/999",
        f"{ORG}/booking-api/blob/main/no",
    ],
)
def test_what_is_not_there(box, path):
    assert requests.get(f"{box.github_url}/{path}", timeout=10).status_code == 404


def test_records_may_name_a_pull_request(box):
    assert box.resolve("pull:booking-api/29") == f"{box.github_url}/{ORG}/booking-api/pull/29"


def test_texts_are_escaped(box):
    number = box.git_host.open(
        "gate-app",
        "evil",
        box.git_host.commit("gate-app", {"<b>.txt": "</pre><script>x</script>"}),
        "<script>x</script>",
    )
    page = requests.get(f"{box.github_url}/{ORG}/gate-app/pull/{number}", timeout=10)
    assert "<script>x" not in page.text
    assert "&lt;script&gt;x" in page.text
