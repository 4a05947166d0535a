"""Git as a child process on fixed argument lists.

Hooks are off, nothing is asked of a terminal, only known transports are allowed, every run has a time limit, and no
child outlives this program, however it ends.
"""

import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable

_URL_CREDENTIALS = re.compile(r"://[^/\s]+@")
_REFUSED = re.compile(
    r"authentication failed|could not read (?:username|password)|permission denied|\b40[13]\b", re.IGNORECASE
)
_MISSING = re.compile(
    r"not found|does not exist|does not appear to be a git repository|unknown revision|bad (?:object|revision)"
    r"|not a valid (?:object|commit)|not a tree object|unable to read [0-9a-f]{40}|unable to read tree"
    r"|couldn't find remote ref|not our ref|unadvertised object",
    re.IGNORECASE,
)
_OVERRIDES = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "gc.autoDetach=false",
    "maintenance.autoDetach=false",
    # Git 2.39 writes a graph of impossible dates for ever.
    "core.commitGraph=false",
    "fetch.writeCommitGraph=false",
    "gc.writeCommitGraph=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=120",
    "protocol.ext.allow=never",
    "safe.bareRepository=all",
)
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oServerAliveInterval=30",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    "LC_ALL": "C",
}

LARGEST = 10_000_000
"""Bytes of a file from which on its lines are not compared."""
PLAIN = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "attr.tree",
    "GIT_CONFIG_VALUE_0": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "GIT_CONFIG_KEY_1": "core.bigFileThreshold",
    "GIT_CONFIG_VALUE_1": str(LARGEST),
}
"""For what reads contents: nobody's settings, a path is nothing but a path, attributes are those of the empty tree
(some versions of Git take those of the default branch), and large files are not compared line by line.
"""

# The watcher's input is a pipe from this program. It closes when this program ends, even by SIGKILL, and the whole
# group ends with it. (PR_SET_PDEATHSIG would end Git with the thread that started it, and leave Git's own children.)
_WATCH = "read -r _; kill -s KILL 0"


class Git:
    """Runs Git in the mirror in `folder` of the repository at `origin`. `seconds` is the longest that a run may take.

    Raises SourceGone, SourceForbidden and SourceUnavailable. No message or cause shows a credential of the origin: the
    errors of `subprocess`, which hold the whole command, are not kept.
    """

    def __init__(self, folder: Path, origin: str, program: str, seconds: float) -> None:
        self.folder = folder
        self._seconds = seconds
        self._command = [program, *(word for setting in _OVERRIDES for word in ("-c", setting))]
        self._hidden = _credentials(origin)
        self.name = self._cleared(origin)

    def run(
        self,
        *arguments: str,
        seconds: float | None = None,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        keep: Sequence[int] = (),
        statuses: Sequence[int] = (0,),
    ) -> bytes:
        """Its whole output. The child and its own children hold the files in `keep` open. `statuses` are those at its
        end that are no failure.
        """
        with self._child(arguments, environment or {}, subprocess.PIPE, keep) as (process, group):
            try:
                out, err = process.communicate(stdin, timeout=seconds or self._seconds)
            except subprocess.TimeoutExpired:
                _kill(group)
                raise SourceUnavailable(f"git {arguments[0]} of {self.name} took too long") from None
        if process.returncode not in statuses:
            raise self._error(arguments[0], err)
        return out

    @contextmanager
    def stream(
        self,
        *arguments: str,
        seconds: float | None = None,
        environment: Mapping[str, str] | None = None,
        statuses: Sequence[int] = (0,),
    ) -> Iterator["tuple[IO[bytes], IO[bytes]]"]:
        """A child's input and output, to be used piece by piece; it is killed at the time limit, and when its reader
        stops early. `statuses` are those at its end that are no failure.
        """
        late = threading.Event()
        with tempfile.TemporaryFile() as errors, self._child(arguments, environment or {}, errors) as (process, group):
            ask, answer = _pipes(process)
            watchdog = threading.Timer(seconds or self._seconds, _end, (group, late))
            watchdog.start()
            try:
                yield ask, answer
                ask.close()
                ended = not answer.read(1)
                if ended and process.wait() not in statuses:
                    errors.seek(0)
                    raise self._error(arguments[0], errors.read())
            except BrokenPipeError:
                with suppress(BrokenPipeError):  # of what it did not take
                    ask.close()
                process.wait()
                errors.seek(0)
                raise self._error(arguments[0], errors.read()) from None
            finally:
                watchdog.cancel()
                _kill(group)
                if late.is_set():
                    raise SourceUnavailable(f"git {arguments[0]} of {self.name} took too long")

    @contextmanager
    def _child(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        errors: "IO[bytes] | int",
        keep: Sequence[int] = (),
    ) -> "Iterator[tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]]":
        """Git, and the watcher that leads the process group of Git and its own children."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        silent = subprocess.DEVNULL
        with (
            subprocess.Popen(
                ["/bin/sh", "-c", _WATCH], stdin=subprocess.PIPE, stdout=silent, stderr=silent, process_group=0
            ) as group,
            subprocess.Popen(
                [*self._command, "--git-dir", str(self.folder), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**inherited, **_ENVIRONMENT, **environment},
                pass_fds=keep,
                process_group=group.pid,
            ) as process,
        ):
            try:
                yield process, group
            finally:
                _kill(group)

    def _error(self, action: str, stderr: bytes) -> SourceError:
        said = self._cleared(stderr[-4000:].decode("utf-8", "replace")).strip()
        lines = said.split("\n")
        reason = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])
        message = f"git {action} of {self.name} failed: {reason or 'no such thing'}"
        if _REFUSED.search(said):
            return SourceForbidden(message)
        if _MISSING.search(said) or action in {"rev-parse", "cat-file"}:
            return SourceGone(message)
        return SourceUnavailable(message)

    def _cleared(self, text: str) -> str:
        for word in self._hidden:
            text = text.replace(word, "")
        return _URL_CREDENTIALS.sub("://", text)


def _credentials(origin: str) -> list[str]:
    """What of an address must never be shown, longest first: `user:password@`, and the password or token alone."""
    scheme, separator, rest = origin.partition("://")
    if not separator or "@" not in rest:
        return []
    given = rest.rpartition("@")[0]  # a password may hold @ and /, though it should not; rather hide too much
    words = {f"{given}@", f"{unquote(given)}@"}
    _, colon, password = given.partition(":")
    secret = password if colon else given if scheme.startswith("http") else ""
    words |= {secret, unquote(secret)} - {""}
    return sorted(words, key=len, reverse=True)


def _pipes(process: "subprocess.Popen[bytes]") -> "tuple[IO[bytes], IO[bytes]]":
    if process.stdin is None or process.stdout is None:
        raise SourceUnavailable("git was started without its pipes")
    return process.stdin, process.stdout


def _end(group: "subprocess.Popen[bytes]", late: threading.Event) -> None:
    late.set()
    _kill(group)


def _kill(group: "subprocess.Popen[bytes]") -> None:
    """Ends all of a group. Its number is nobody else's until its leader has been waited for."""
    if group.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(group.pid, signal.SIGKILL)
