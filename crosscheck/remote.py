"""Operations that run in the service which owns the data folder."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from crosscheck.errors import ServiceAnswered
from crosscheck.operations import Report
from crosscheck.owner import Service, running

NOT_RUNNING = "The service is not running any more. Start it again, or start this anew without it."
PATIENCE = httpx.Timeout(5, read=900)  # seconds; a sync reports progress, so silence this long is no work
HEALTH_PATIENCE = 5  # seconds; who asks for health acts on an answer that does not come


class OfService:
    """Runs operations in whatever service owns the data folder at the time: one that is started anew has another
    address and token.
    """

    def __init__(self, data: Path) -> None:
        self._data = data

    def run(self, name: str, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
        """Raises ServiceAnswered, also where none is running."""
        service = running(self._data)
        if service is None:
            raise ServiceAnswered(NOT_RUNNING)
        return Remote(service).run(name, arguments, report)


class Remote:
    """Runs operations in the service that owns the data folder."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def run(self, name: str, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
        """Raises ServiceAnswered with the service's own sentence."""
        headers = {"Authorization": f"Bearer {self._service.token}"}
        url = f"{self._service.url}/cli/{name}"
        try:
            with httpx.stream("POST", url, json=dict(arguments), headers=headers, timeout=PATIENCE) as answer:
                if answer.status_code != httpx.codes.OK:
                    raise ServiceAnswered(f"The service answered {answer.status_code}.")
                for line in answer.iter_lines():
                    message = json.loads(line)
                    if "result" in message:
                        result: dict[str, Any] = message["result"]
                        return result
                    if "error" in message:
                        raise ServiceAnswered(message["error"])
                    report(message)
        except httpx.HTTPError as error:
            raise self._silent(error) from error
        raise ServiceAnswered("The service stopped before it had answered.")

    def health(self) -> dict[str, Any]:
        """What the service says of itself: `ok`, and whatever is wrong. Raises ServiceAnswered."""
        try:
            state: dict[str, Any] = httpx.get(f"{self._service.url}/health", timeout=HEALTH_PATIENCE).json()
        except httpx.HTTPError as error:
            raise self._silent(error) from error
        except ValueError as error:
            raise ServiceAnswered("The service did not tell its health.") from error
        return state

    def _silent(self, error: httpx.HTTPError) -> ServiceAnswered:
        return ServiceAnswered(f"The service (pid {self._service.pid}) did not answer: {type(error).__name__}.")
