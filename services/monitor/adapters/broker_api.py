"""How full and how busy the broker's queues are, asked of its management API.

Only for display: the API is a plugin that may be off, and its numbers are seconds old. So
nothing decides by it, and without its address only rates are missing and what is in hand.
"""

import asyncio
import base64
import http.client
import json
import ssl
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

from services.monitor.domain.overview import QueueState
from shared.errors import Retryable

ANSWER_BYTES_MAX = 8 << 20
COLUMNS = (
    *("name", "messages_ready", "messages_unacknowledged", "consumers"),
    *("head_message_timestamp", "message_stats.publish_details.rate"),
    "message_stats.deliver_get_details.rate",
)


class ManagementApi:
    def __init__(
        self, url: str, vhost: str, timeout_s: float, ca_file: Path | None = None
    ) -> None:
        """`ca_file`: who has to have certified the broker; without it, as the machine says."""
        self._url = urlsplit(url)
        self._ca_file = ca_file
        self._root = self._url.path.rstrip("/").removesuffix("/api")
        columns = ",".join(COLUMNS)
        self._queues = f"queues/{quote(vhost, safe='')}?columns={columns}"
        self._timeout_s = timeout_s

    async def list_queues(self) -> list[QueueState] | None:
        try:
            rows = await asyncio.to_thread(self.ask, self._queues)
            return sorted((_state(row) for row in rows), key=lambda queue: queue.name)
        # What is not what we expect is as good as no answer, whatever it is.
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            raise Retryable(f"{type(error).__name__}: {error}", dependency="broker") from error

    def ask(self, path: str) -> Any:  # noqa: ANN401 -- somebody else's JSON
        connection = self._connect()
        try:
            whole = f"{self._root}/api/{path}"
            connection.request("GET", whole, headers=_credentials(self._url))
            with connection.getresponse() as answer:
                if answer.status != HTTPStatus.OK:
                    raise ValueError(f"the management API answered {answer.status}")
                return json.loads(answer.read(ANSWER_BYTES_MAX))
        finally:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "localhost", self._url.port
        if self._url.scheme != "https":
            return http.client.HTTPConnection(host, port, timeout=self._timeout_s)
        # Read each time: an authority may be replaced while we run.
        trust = ssl.create_default_context(cafile=self._ca_file)
        return http.client.HTTPSConnection(host, port, timeout=self._timeout_s, context=trust)


def _credentials(url: SplitResult) -> dict[str, str]:
    if url.username is None:
        return {}
    pair = f"{unquote(url.username)}:{unquote(url.password or '')}"
    return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def _state(row: dict[str, Any]) -> QueueState:
    # A queue just declared has no numbers yet.
    return QueueState(
        name=str(row["name"]),
        ready=int(row.get("messages_ready", 0)),
        unacked=int(row.get("messages_unacknowledged", 0)),
        consumers=int(row.get("consumers", 0)),
        in_per_s=_rate(row, "publish_details"),
        out_per_s=_rate(row, "deliver_get_details"),
        oldest_at=_moment(row.get("head_message_timestamp")),
    )


def _rate(row: dict[str, Any], of: str) -> float | None:
    rate = row.get("message_stats", {}).get(of, {}).get("rate")
    return None if rate is None else float(rate)


def _moment(told: object) -> datetime | None:
    # Seconds since 1970; empty when nothing waits.
    return datetime.fromtimestamp(told, UTC) if isinstance(told, int | float) else None
