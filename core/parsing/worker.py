"""The process that reads files for its parent: `python -m core.parsing.worker MEMORY SECONDS DOCUMENTS`.

It holds itself to limits that the system enforces, writes no file, starts no process and opens no connection. It is
made to die: on anything unexpected it says so and ends, and a fresh one reads the next file.
"""

import importlib
import os
import resource
import select
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import IO

from core.parsing.frames import BadFrame, Reply, receive_request, send_reply
from core.parsing.parsed import Parsed, unreadable

Parse = Callable[[str, bytes], Parsed]

_PARSERS = {
    "pdf": "core.parsing.pdf:parse",
    "xlsx": "core.parsing.office.xlsx:parse",
    "pptx": "core.parsing.office.pptx:parse",
    "docx": "core.parsing.office.docx:parse",
    "html": "core.parsing.webpage:parse",
    "svg": "core.parsing.webpage:parse_svg",
    "drawio": "core.parsing.drawings:parse_drawio",
    "mermaid": "core.parsing.drawings:parse_mermaid",
    "plantuml": "core.parsing.drawings:parse_plantuml",
    "markdown": "core.parsing.drawings:parse_markdown",
}
_FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system")


def main() -> None:
    memory, seconds, documents = (int(argument) for argument in sys.argv[1:4])
    requests, replies = _streams()
    confine(memory)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _answer_before_dying(replies)
    for left in reversed(range(documents)):
        try:
            request = receive_request(requests)
        except BadFrame:
            return
        _allow_seconds(seconds)
        try:
            parsed = parser(request.format)(request.name, request.data)
        except MemoryError:
            send_reply(
                replies, Reply(unreadable(f"reading it took more than {memory // 10**6} MB of memory"), last=True)
            )
            return
        send_reply(replies, Reply(parsed, last=not left))


def parser(form: str) -> Parse:
    """The parser of a format, whose libraries are imported when it is first needed."""
    module, _, name = _PARSERS[form].partition(":")
    found: Parse = getattr(importlib.import_module(module), name)
    return found


def _streams() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes from and to the parent. What a library prints goes nowhere."""
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return os.fdopen(os.dup(0), "rb"), replies


def confine(memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.addaudithook(_refuse)


def _refuse(event: str, _arguments: object) -> None:
    if event.startswith(_FORBIDDEN):
        raise PermissionError(f"{event} while reading a file")


def _allow_seconds(seconds: int) -> None:
    """Let the system end the process after so many more seconds of computing. The parent's own limit comes earlier,
    unless the parent has gone.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    _soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 2, hard))


def _end_with_parent() -> None:
    """Its end of the pipe closes when the parent ends, whatever the main thread is doing."""
    watched = select.poll()
    watched.register(0, 0)  # a closed other end is reported unasked
    watched.poll()
    os._exit(0)


def _answer_before_dying(replies: IO[bytes]) -> None:
    """An exception that no parser expected ends the process; the parent is told its kind, never its words, which may
    hold the file's.
    """

    def answer(kind: type[BaseException], _error: BaseException, _trace: TracebackType | None) -> None:
        send_reply(replies, Reply(unreadable(f"its reader failed ({kind.__name__})"), last=True))

    sys.excepthook = answer


if __name__ == "__main__":
    main()
