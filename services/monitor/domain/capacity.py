"""What servers have only so much of, as one share each: 1 is when they stop.

One number says it of all of them, so that one look shows what is scarce; alerts have a limit
for each, because a database that refuses connections is another matter than a disk.
"""

from collections.abc import Iterable, Mapping

DATABASE_CONNECTIONS = "database_connections"
# Its vacuum has fallen behind by so much that writes will be refused.
DATABASE_IDS = "database_transaction_ids"
BROKER_MEMORY = "broker_memory"
BROKER_DISK = "broker_disk"
BROKER_FILES = "broker_files"


def of_node(
    memory: float, memory_limit: float, disk: float, disk_limit: float
) -> dict[str, float]:
    """Of a broker's node: at 1 it raises its alarm, and takes nothing any more."""
    return {
        BROKER_MEMORY: memory / memory_limit if memory_limit else 0.0,
        BROKER_DISK: disk_limit / disk if disk else 1.0,
    }


def scarcest(nodes: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Of several nodes the one that stops first, since then all publishers wait."""
    shares: dict[str, float] = {}
    for node in nodes:
        for resource, share in node.items():
            shares[resource] = max(share, shares.get(resource, 0.0))
    return shares
