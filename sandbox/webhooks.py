"""Comment webhooks as Jira sends them: Cloud's with an id that stays over retries, Data Center's without."""

import json
from collections.abc import Mapping

from sandbox.deliveries import Deliveries, Delivery
from sandbox.issues import Issue, Note
from sandbox.jira import Jira
from sandbox.webhook_payloads import cloud, data_center


class Webhooks(Deliveries):
    """Tells one URL of comments."""

    def __init__(self, jira: Jira, secret: str) -> None:
        super().__init__(secret)
        self._jira = jira
        self._data_center = False

    def deliver_to(self, url: str, *, data_center: bool = False) -> None:
        """From now on; `data_center`: in Data Center's shape."""
        self._data_center = data_center
        super().deliver_to(url)
        self._jira.fire = self.fire

    def fire(self, event: str, issue: Issue, note: Note) -> None:
        payload = (data_center if self._data_center else cloud)(self._jira, event, issue, note)
        self.send(event, json.dumps(payload).encode())

    def headers(self, delivery: Delivery) -> Mapping[str, str]:
        signed = {"X-Hub-Signature": self.signature(delivery.body)}
        if self._data_center:
            return signed | {"User-Agent": "Atlassian HttpClient unknown / JIRA-10.3.5"}
        retry = {"X-Atlassian-Webhook-Retry": str(delivery.attempt)} if delivery.attempt else {}
        return (
            signed
            | retry
            | {
                "User-Agent": "Atlassian Webhook HTTP Client",
                "X-Atlassian-Webhook-Identifier": delivery.id,
                "X-Atlassian-Webhook-Flow": "Primary",
            }
        )
