"""What the broker is, as far as it bears on the plan: one node or several, and which version.

A classic queue lives on one node and is gone while that node is, so on a cluster the work
queues must be quorum; and what "urgent overtakes" means in a quorum queue is the version's.
Neither can be seen over AMQP: the management API tells, when its address is known.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from shared.topology.inspect import asked_api
from shared.topology.plan import QueueKind

SETTING = "PAPERLINE_BROKER_WORK_QUEUES"


@dataclass(frozen=True, slots=True)
class Broker:
    version: str
    nodes: int


async def broker_at(api_url: str, ca_file: Path | None = None) -> Broker:
    """`api_url` holds the credentials: http://user:password@host:port"""
    overview = await asyncio.to_thread(asked_api, api_url, "/api/overview", ca_file)
    # Nodes that are down count: their queues are down with them.
    nodes = await asyncio.to_thread(asked_api, api_url, "/api/nodes?columns=name", ca_file)
    return Broker(str(overview["rabbitmq_version"]), len(nodes))


def refusal(broker: Broker, kind: QueueKind) -> str | None:
    """Why this plan must not be put on this broker."""
    if broker.nodes <= 1 or kind == "quorum":
        return None
    return (
        f"{SETTING} is classic and the broker has {broker.nodes} nodes: a classic queue is "
        f"gone while its node is. Set {SETTING}=quorum, for the services too; what exists "
        "already is made anew by `python -m shared.topology migrate`."
    )


def urgency(broker: Broker, kind: QueueKind) -> str:
    """How urgent documents overtake, in a sentence for the operator."""
    version = tuple(int(part) for part in broker.version.split(".")[:2] if part.isdigit())
    if kind == "classic":
        how = "overtake at once"
    elif version >= (4, 3):
        how = "overtake at once (priorities of quorum queues are strict since 4.3)"
    elif version >= (4, 0):
        how = "get two turns of three (quorum queues know two levels before 4.3)"
    else:
        how = "do not overtake what is in a queue (quorum queues know no priorities before 4.0)"
    return f"RabbitMQ {broker.version}, {kind} work queues: urgent documents {how}"
