"""Whatever is wrong in one place of an answer: a reading is made, bounded, on one line, and never an error."""

import copy
from datetime import datetime

import pytest

from core.errors import SourceForbidden
from core.probes.guard import Unread
from core.probes.make import Where, make_probe
from tests.core.probes import test_argocd, test_github, test_gitlab, test_kubernetes
from tests.core.probes.probing import COMMIT

JUNK = [
    None,
    True,
    0,
    -1,
    10**400,
    "",
    "x",
    "v" * 100_000,
    "a\nb\x00\u202e",
    "\ud800",
    [],
    {},
    [None],
    [[1]],
    {"x": {"y": 1}},
]
RELEASE = {"tag_name": "v2.14.1", "published_at": "2026-11-29T09:00:00Z"}
ANSWERS = {
    "http": {"": {"build": {"version": "2"}, "commit": COMMIT, "since": "2026-11-29T09:00:00Z", "dirty": False}},
    "kubernetes": {
        "apis/": test_kubernetes.deployment(),
        "api/": {
            "metadata": {"continue": "x"},
            "items": [test_kubernetes.pod("v1"), test_kubernetes.pod("v2", ready=False)],
        },
    },
    "argocd": {"": test_argocd.application("a/booking-api:v1", "b/c:v2", source=test_argocd.OWN)},
    "github": {
        "statuses": test_github.status("success"),
        "deployments": [test_github.deployment(7, COMMIT, "v2.14.1")],
        "releases": RELEASE,
    },
    "gitlab": {
        "environments/": test_gitlab.environment(test_gitlab.deployment(ref="v2.14.1", tag=True)),
        "environments": [{"id": 1}],
        "deployments": [test_gitlab.deployment(101, status="failed")],
    },
}
WHERES = {
    "http": Where(version="build.version", commit="commit", since="since", dirty="dirty"),
    "kubernetes": Where(namespace="staging", deployment="booking-api", commit_label="app"),
    "argocd": Where(application="booking"),
    "github": Where(project="acme/booking-api"),
    "gitlab": Where(project="acme/booking-api"),
}


class Told:
    """Answers by the first key that is in the path, of the shape that is asked for."""

    def __init__(self, answers):
        self._answers = answers

    def value(self, path, params=None):
        return next(answer for key, answer in self._answers.items() if key in path)

    def object(self, path, params=None):
        return self._of(dict, path)

    def objects(self, path, params=None):
        found = self._of(list, path)
        if not all(isinstance(one, dict) for one in found):
            raise Unread("odd")
        return found

    def _of(self, shape, path):
        if not isinstance(self.value(path), shape):
            raise Unread("odd")
        return self.value(path)


def places(value, way=()):
    yield way
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*way, key))


def changed(value, way, junk):
    if not way:
        return junk
    made = copy.copy(value)
    made[way[0]] = changed(value[way[0]], way[1:], junk)
    return made


@pytest.mark.parametrize("kind", sorted(ANSWERS))
def test_junk_in_any_place(kind):
    vendor = make_probe(
        kind, name="n", environment="staging", repo="booking-api", url="https://x.example", where=WHERES[kind]
    ).vendor
    assert vendor.running(Told(ANSWERS[kind]))
    for way in places(ANSWERS[kind]):
        for junk in JUNK if way else ():
            try:
                found = vendor.running(Told(changed(ANSWERS[kind], way, junk)))
            except Unread:
                continue
            for one in found:
                assert one.instances >= 1
                assert one.since is None or isinstance(one.since, datetime)
                assert all(len(text) <= 300 and text.isprintable() for text in (one.version, one.where, *one.notes))
                assert one.commit == "" or 7 <= len(one.commit) <= 64


def test_settings_of_another_kind_are_passed_over():
    with pytest.raises(SourceForbidden, match="needs"):
        make_probe("http", name="n", environment="e", repo="r", url="https://x.example", where=WHERES["argocd"])
