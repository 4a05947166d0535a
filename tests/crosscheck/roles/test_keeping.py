"""The end of keeping an index: of a service, or of the time for which a process leads."""

import threading
from functools import cached_property

import pytest

from core.errors import IndexUnreachable, SourceIncomplete
from core.parsing.files import FileReader
from crosscheck.serving import service
from crosscheck.settings_sources import Files
from evals.playground import company as small_company
from sandbox.server import Sandbox
from tests.core.parts import Shelf, document
from tests.crosscheck.live import Small, until
from tests.crosscheck.test_index import Site


class Blocked(Shelf):
    """A source that takes its time before each document."""

    def load(self):
        for one in self.documents:
            self.began.set()
            assert self.go.wait(60)
            yield one


@pytest.fixture
def shelf():
    blocked = Blocked([document(f"text {n}", id=f"wiki:{n}") for n in range(3)], name="wiki")
    blocked.began, blocked.go = threading.Event(), threading.Event()
    return blocked


def sync(site, errors):
    try:
        site.sources.sync("wiki", True, lambda _message: None)
    except SourceIncomplete as error:
        errors.append(error)


def test_its_end_waits_for_the_sync_of_a_command_and_lets_none_begin(tmp_path, shelf):
    """Else a sync would go on beside the next leader's, and open again what was closed."""
    site, errors = Site(tmp_path, {"size": 8}, [shelf], {}), []
    syncing = threading.Thread(target=sync, args=(site, errors))
    syncing.start()
    assert shelf.began.wait(30)
    ending = threading.Thread(target=site.sources.end)
    ending.start()
    ending.join(0.3)
    assert ending.is_alive()
    shelf.go.set()
    ending.join(60)
    syncing.join(60)
    assert len(errors) == 1
    with pytest.raises(SourceIncomplete, match="was stopped"):
        site.sources.sync("wiki", True, lambda _message: None)
    with pytest.raises(SourceIncomplete, match="was stopped"):
        site.sources.sweep_labels("wiki")
    site.index.close()
    with pytest.raises(IndexUnreachable, match="closed"):
        site.index.optimize()
    site.database.dispose()
    after = Site(tmp_path, {"size": 8}, [shelf], {})  # nobody holds the folder
    after.sources.sync("wiki", True, lambda _message: None)
    after.index.close()
    after.database.dispose()


class Slow:
    """Reads files when it is told to."""

    def __init__(self):
        self.began, self.go = threading.Event(), threading.Event()
        self._reader = FileReader()

    def __call__(self, name, data):
        self.began.set()
        assert self.go.wait(60)
        return self._reader(name, data)

    def close(self):
        self._reader.close()


class Reads(Small):
    @cached_property
    def file_reader(self):
        return Slow()


def test_a_sync_that_takes_its_time_does_not_keep_reviews_from_being_returned(tmp_path):
    """Whoever stops the service kills it after a minute."""
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook/export.md").write_text("# Export\n\nKept for thirty days.\n", "utf-8")
    with Sandbox.start(small_company(1)) as box:
        files = Files(name="handbook", location=str(tmp_path / "handbook"))
        program = Reads(box, tmp_path / "data", changes={"files": (files,)})
        program.settings.data.mkdir()

        def serve(told):
            with service(program) as running:
                running.wait(told.is_set)

        told = threading.Event()
        serving = threading.Thread(target=serve, args=(told,))
        serving.start()
        assert program.file_reader.began.wait(60)
        told.set()
        until(lambda: not any(thread.is_alive() for thread in program.worker._threads), "the end of the worker")
        assert serving.is_alive()
        program.file_reader.go.set()
        serving.join(60)
        program.close()
