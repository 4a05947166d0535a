"""Logs: one JSON line an event on standard error, with job and trigger ids; a ticket's text only at debug level."""

import logging
import sys
import traceback
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

from crosscheck.redaction import Redacted, Redaction

NO_SECRETS = Redaction(())
"""Knows none, and takes out what has the shape of one."""


class _FromLibraries(logging.StreamHandler[TextIO]):
    """What libraries log, in lines of the same form."""


def configure(level: str, redacted: Redacted = NO_SECRETS) -> None:
    """Set up logging for the process. Secrets are never passed to a logger: settings keep them wrapped. What a foreign
    library says all the same is taken out by `redacted`.
    """
    clean = _Clean(redacted)
    render = structlog.processors.JSONRenderer(ensure_ascii=False)
    trace = structlog.processors.ExceptionRenderer(_where) if level != "debug" else structlog.processors.format_exc_info
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        trace,
    ]
    structlog.configure(
        processors=[*common, clean, render],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    _take_over(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=common,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, clean, render],
        )
    )


class _Clean:
    """Takes secrets out of every value of an event, before it is written."""

    def __init__(self, redacted: Redacted) -> None:
        self._redacted = redacted

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {self._redacted(str(name)): self._of(value) for name, value in event.items()}

    def _of(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, dict):
            return {self._redacted(str(name)): self._of(one) for name, one in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._of(one) for one in value]
        return self._redacted(value if isinstance(value, str) else repr(value))


def _take_over(form: logging.Formatter) -> None:
    """Libraries log addresses with queries in them; only their warnings are wanted."""
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler, _FromLibraries)]:
        root.removeHandler(handler)
    ours = _FromLibraries(sys.stderr)
    ours.setLevel(logging.WARNING)
    ours.setFormatter(form)
    root.addHandler(ours)


def _where(exc_info: ExcInfo) -> str:
    """Where an error happened, and the kinds of it and its causes. Not their words: a foreign error's may hold a
    ticket's text or a token.
    """
    lines: list[str] = []
    error: BaseException | None = exc_info[1]
    while error is not None:
        lines += [type(error).__qualname__, *(line.rstrip() for line in traceback.format_tb(error.__traceback__))]
        error = error.__cause__ or error.__context__
    return "\n".join(lines)
