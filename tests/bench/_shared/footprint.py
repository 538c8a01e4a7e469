"""What a stack holds and has used at a moment: rows, bytes, messages, processor time, memory.

Read behind the services' backs, from the database, the broker, the object store's folder and
/proc. Two moments and what happened between them give what one document leaves behind.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import asyncpg

from deploy.local import gemini_double
from shared.topology.queues import EVENTS, JOBS, WORK_QUEUES
from tests.bench._shared.used import SERVERS, used_by
from tests.broker.vhosts import BrokerApi
from tests.system.stack import SERVICES, VHOST, Stack

TABLES = """
SELECT schemaname AS schema, relname AS name, pg_total_relation_size(relid) AS bytes
  FROM pg_stat_user_tables
"""
WRITTEN = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
CONNECTIONS = """
SELECT usename, count(*) FROM pg_stat_activity
 WHERE usename LIKE 'paperline\\_%' GROUP BY 1
"""
PARTS = {one: one for one in SERVICES} | {**SERVERS, "double": gemini_double.COMPONENT}
# Two words of a path say what lies there, where it is sorted by what was made of documents.
SORTED = frozenset({"data"})


@dataclass(frozen=True, slots=True)
class Footprint:
    at_s: float
    cpu_s: Mapping[str, float]
    resident_bytes: Mapping[str, int]
    tables: Mapping[str, int]
    wal_bytes: int
    objects: Mapping[str, int]
    object_count: Mapping[str, int]
    # Sent by the services, and what queues were given of that.
    sent: int
    sent_bytes: int
    queued: int
    connections: Mapping[str, int]


class Footprints:
    """Of one stack; counts messages from the moment it is entered."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._api = BrokerApi(stack.broker_api_url)
        self._tap = f"tap-{token_hex(4)}"

    async def __aenter__(self) -> "Footprints":
        tap = f"queues/{VHOST}/{self._tap}"
        await self._api.call("PUT", tap, {"durable": False, "auto_delete": False})
        for exchange, key in [(EVENTS, "#"), *((JOBS, one.name) for one in WORK_QUEUES)]:
            binding = f"bindings/{VHOST}/e/{exchange}/q/{self._tap}"
            await self._api.call("POST", binding, {"routing_key": key})
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._api.call("DELETE", f"queues/{VHOST}/{self._tap}")

    async def waiting(self) -> int:
        """Messages that somebody still has to take, as the broker counted them last."""
        queues = await self._api.call("GET", f"queues/{VHOST}")
        return sum(one.get("messages", 0) for one in queues if one["name"] != self._tap)

    async def taken(self) -> Footprint:
        queues = await self._api.call("GET", f"queues/{VHOST}")
        [tap] = [one for one in queues if one["name"] == self._tap]
        objects, object_count = self._objects()
        database = await asyncpg.connect(self._stack.database_url, timeout=5)
        try:
            tables = await database.fetch(TABLES)
            written = await database.fetchval(WRITTEN)
            connections = await database.fetch(CONNECTIONS)
        finally:
            await database.close()
        used = used_by(self._stack.state, PARTS)
        return Footprint(
            at_s=used.at_s,
            cpu_s=used.cpu_s,
            resident_bytes={one: self._stack.resident_bytes(one) for one in SERVICES},
            tables=_by_table(tables),
            wal_bytes=written,
            objects=objects,
            object_count=object_count,
            sent=tap["messages"],
            sent_bytes=tap["message_bytes"],
            queued=sum(_published(one) for one in queues if one["name"] != self._tap),
            connections={str(one[0]).removeprefix("paperline_"): one[1] for one in connections},
        )

    def _objects(self) -> tuple[Counter[str], Counter[str]]:
        sizes, counts = Counter[str](), Counter[str]()
        for file in self._stack.blobs.rglob("*"):
            if file.is_file():
                first, second, *_ = (*file.relative_to(self._stack.blobs).parts, "")
                kind = f"{first}/{second}" if first in SORTED else first
                sizes[kind] += file.stat().st_size
                counts[kind] += 1
        return sizes, counts


def _by_table(rows: list[Any]) -> Mapping[str, int]:
    """The days of the inbox are one table to whoever counts."""
    told = Counter[str]()
    for one in rows:
        name = "inbox" if one["name"].startswith("inbox") else one["name"]
        told[f"{one['schema']}.{name}"] += one["bytes"]
    return told


def _published(queue: Mapping[str, Any]) -> int:
    return int(queue.get("message_stats", {}).get("publish", 0))
