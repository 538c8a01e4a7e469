"""How near each node of the broker is to its alarms, asked of its management API."""

import asyncio
import http.client
from typing import Any

from services.monitor.adapters.broker_api import ManagementApi
from services.monitor.domain.capacity import BROKER_FILES, of_node, scarcest
from shared.errors import Retryable

COLUMNS = "mem_used,mem_limit,disk_free,disk_free_limit,fd_used,fd_total,running"


class BrokerNodes:
    def __init__(self, api: ManagementApi) -> None:
        self._api = api

    async def measure_shares(self) -> dict[str, float]:
        try:
            rows = await asyncio.to_thread(self._api.ask, f"nodes?columns={COLUMNS}")
            return scarcest(_shares(row) for row in rows if row.get("running", True))
        # What is not what we expect is as good as no answer, whatever it is.
        except (
            OSError,
            http.client.HTTPException,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
        ) as error:
            raise Retryable(f"{type(error).__name__}: {error}", dependency="broker") from error


def _shares(row: dict[str, Any]) -> dict[str, float]:
    shares = of_node(
        float(row["mem_used"]),
        float(row["mem_limit"]),
        float(row["disk_free"]),
        float(row["disk_free_limit"]),
    )
    # Not every version tells; without a number there is no share.
    if row.get("fd_total"):
        shares[BROKER_FILES] = float(row["fd_used"]) / float(row["fd_total"])
    return shares
