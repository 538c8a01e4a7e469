"""A stack that is upgraded as it is in production: process by process, without a pause.

It is brought up by the version that it starts with. Then every service is replaced on its own:
a process of the other version beside the old one, ready before anybody is sent there; then the
old one is asked to stop, and finishes what it has in hand.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local import ports, processes, services
from deploy.local.endpoints import endpoints
from deploy.local.state import State
from tests.system.stack import SERVICES, Stack
from tests.upgrade.versions import Version

__all__ = ["SERVICES", "Fleet", "fleet_of"]

# As `./paperline up` of that version begins.
RENEWS_RIGHTS = """
import sys
from pathlib import Path
from deploy.local.nodes import start_nodes
from deploy.local.state import State

start_nodes(State(Path(sys.argv[1])))
"""


@dataclass(frozen=True, slots=True)
class Fleet(Stack):
    """A stack whose addresses are those of whoever serves now, as behind a proxy."""

    serving: dict[str, str] = field(default_factory=lambda: {one: one for one in SERVICES})

    def address(self, port_name: str) -> str:
        service, _, kind = port_name.partition("_")
        return Stack.address(self, f"{self.serving.get(service, service)}_{kind}")

    async def prepare(self, version: Version) -> None:
        """Rights, queues and tables, before anybody of that version runs."""
        words = ("-c", RENEWS_RIGHTS, str(self.state.root))
        told_where = f"PYTHONPATH={version.folder}"
        await _ran(version.folder, None, "env", told_where, str(version.python), *words)
        reach = endpoints(self.state)
        amqp, api = reach.amqp["topology"], reach.broker_api["topology"]
        told = {"PAPERLINE_TOPOLOGY_AMQP_URL": amqp, "PAPERLINE_TOPOLOGY_API_URL": api}
        await self._run(version, told, "shared.topology", "apply")
        for service in SERVICES:
            surroundings = services.environment(self.state, service, reach)
            surroundings["PAPERLINE_MIGRATE_URL"] = reach.database_owner
            await self._run(version, surroundings, f"services.{service}", "migrate")

    async def replace(self, service: str, version: Version) -> None:
        old, new = self.serving[service], f"{service}-of-{version.folder.name}"
        await asyncio.to_thread(self._launch, service, new, version)
        await asyncio.to_thread(services.wait_ready, self.state, new)
        self.serving[service] = new
        await asyncio.to_thread(services.stop, self.state, old)

    async def stop_all(self) -> None:
        await asyncio.gather(
            *(asyncio.to_thread(services.stop, self.state, one) for one in self._components())
        )

    def _components(self) -> list[str]:
        return [
            path.stem
            for path in (self.state.root / "run").glob("*.json")
            if path.stem.partition("-")[0] in SERVICES
        ]

    def _launch(self, service: str, component: str, version: Version) -> None:
        known = ports.ensure(self.state, [f"{component}_api", f"{component}_ops"])
        surroundings = services.environment(self.state, service, endpoints(self.state)) | {
            "PAPERLINE_API_PORT": str(known[f"{component}_api"]),
            "PAPERLINE_OPS_PORT": str(known[f"{component}_ops"]),
            "PYTHONPATH": str(version.folder),
        }
        command = [str(version.python), "-m", f"services.{service}", "all"]
        launch = processes.Launch(component, command, surroundings, version.folder)
        processes.start(self.state, launch)

    async def _run(self, version: Version, told: dict[str, str], *words: str) -> None:
        surroundings = {**services.surroundings(), **told, "PYTHONPATH": str(version.folder)}
        await _ran(version.folder, surroundings, str(version.python), "-m", *words)


@asynccontextmanager
async def fleet_of(version: Version, folder: Path) -> AsyncIterator[Fleet]:
    """Brought up by that version, from nothing."""
    fleet = Fleet(State(folder.resolve()))
    await _down(fleet, version)
    await asyncio.to_thread(shutil.rmtree, fleet.state.root, ignore_errors=True)
    try:
        await _paperline(fleet, version, "up")
        yield fleet
    finally:
        await _down(fleet, version)


async def _down(fleet: Fleet, version: Version) -> None:
    await fleet.stop_all()
    await _paperline(fleet, version, "down")


async def _paperline(fleet: Fleet, version: Version, command: str) -> None:
    words = (str(version.program), "--state", str(fleet.state.root), command)
    await _ran(version.folder, None, *words)


async def _ran(folder: Path, surroundings: dict[str, str] | None, *words: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=folder,
        env=surroundings,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, f"{' '.join(words)}:\n{said.decode()}"
