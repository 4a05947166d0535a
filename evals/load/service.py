"""The service as its host runs it: a child process that is started again whenever it ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

PROGRAM = Path(sys.executable).with_name("crosscheck")
LAST = 45.0
"""Seconds that it has to stop when told to; then it is killed, as an init system does."""
START = 60.0
PAUSE = 0.2


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that ended."""

    code: int
    """Negative: by that signal."""
    wanted: bool


def surroundings() -> dict[str, str]:
    """What a program of this project needs of the environment to run at all."""
    return {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}


class Service:
    """`crosscheck serve`, supervised."""

    def __init__(
        self, config: Path, environment: Mapping[str, str], url: str, log: Path, *, start: float = START
    ) -> None:
        """`start` is how many seconds its first process may take until it answers."""
        self.url = url
        self.ended: list[Ended] = []
        self.overdue = 0
        """Times that it did not stop when told to."""
        self._command = [str(PROGRAM), "--config", str(config), "serve"]
        self._environment = {**surroundings(), "HOME": str(config.parent), **environment}
        self._log = log
        self._start_limit = start
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted = threading.Event()
        self._closing = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="supervisor", daemon=True)

    def __enter__(self) -> Self:
        self._start()
        self._keeper.start()
        if not self.wait_ready(self._start_limit):
            self.__exit__(None, None, None)
            raise TimeoutError(f"the service did not start: {self._log.read_text('utf-8')[-500:]}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it for good, as gently as it lets itself be ended."""
        self._closing.set()
        self._keeper.join()
        self.stop()

    @property
    def pid(self) -> int:
        """Of the latest process."""
        if self._process is None:
            raise RuntimeError("the service was never started")
        return self._process.pid

    def wait_ready(self, timeout: float) -> bool:
        """Whether it answers within so many seconds."""
        give_up = time.monotonic() + timeout
        while time.monotonic() < give_up:
            if self.answers():
                return True
            time.sleep(PAUSE)
        return False

    def answers(self, timeout: float = 5.0) -> bool:
        """Whether its web server does, be it well or not."""
        try:
            return bool(httpx.get(f"{self.url}/health", timeout=timeout).status_code)
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        """Without a warning; it is started again."""
        self._signal(signal.SIGKILL)

    def stop(self) -> None:
        """In order; it is started again unless this is the end."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        self._signal(signal.SIGTERM)
        try:
            process.wait(LAST)
        except subprocess.TimeoutExpired:
            self.overdue += 1
            process.kill()
            process.wait()

    def _signal(self, number: signal.Signals) -> None:
        self._wanted.set()
        if self._process is not None:
            self._process.send_signal(number)

    def _start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, env=self._environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def _keep(self) -> None:
        while not self._closing.wait(PAUSE):
            if self._process is not None and (code := self._process.poll()) is not None:
                self.ended.append(Ended(code, self._wanted.is_set()))
                self._wanted.clear()
                self._start()
