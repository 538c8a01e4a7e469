"""Looks at the processes of a stack and at its connections, again and again, while it works."""

import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local import processes
from tests.bench._shared.resident import resident
from tests.broker.vhosts import BrokerApi
from tests.nemesis.pace import until
from tests.soak.growth import Counted, Seen
from tests.system.records import Records
from tests.system.stack import SERVICES, Stack

EVERY_S = 5.0
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"


@dataclass(slots=True)
class Looks:
    stack: Stack
    seen: list[Seen] = field(default_factory=list)
    counted: list[Counted] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    async def go_on(self) -> None:
        """Until cancelled."""
        records, api = Records(self.stack), BrokerApi(self.stack.broker_api_url)
        at_s = 0.0
        while True:
            await until(self.began + at_s)
            # Who is being restarted is not there to be looked at.
            self.seen += [one for name in SERVICES if (one := self._seen(name, at_s))]
            [[sessions]] = await records.rows(SESSIONS)
            totals = (await api.call("GET", "overview"))["object_totals"]
            told = {"broker connections": totals["connections"]}
            told |= {"broker channels": totals["channels"], "database sessions": sessions}
            self.counted.append(Counted(at_s, told))
            # A look that took its time is no reason for two at once.
            at_s = max(at_s + EVERY_S, time.monotonic() - self.began)

    def _seen(self, service: str, at_s: float) -> Seen | None:
        process = processes.running(self.stack.state, service)
        if process is None:
            return None
        home = Path(f"/proc/{process.pid}")
        with suppress(FileNotFoundError, ProcessLookupError):
            descriptors = len(list((home / "fd").iterdir()))
            threads = len(list((home / "task").iterdir()))
            own_mb = resident(process.pid).own_mb
            if own_mb:
                return Seen(at_s, service, process.pid, own_mb, descriptors, threads)
        # It has ended while we looked.
        return None
