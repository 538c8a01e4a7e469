"""Further processes of a service beside the stack's own, as an operator would scale it.

Started from the same code with the same accounts, on ports of their own, and stopped by their
pid. They share nothing with the first but the database, the broker and the object store.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from deploy.local import packages, ports, processes, services
from deploy.local.endpoints import endpoints
from deploy.local.state import REPOSITORY
from tests.system.stack import Stack


@dataclass(frozen=True, slots=True)
class Replica(Stack):
    """The stack as seen by who reaches one of its services at the second, third, … process."""

    service: str
    component: str

    def address(self, port_name: str) -> str:
        own = port_name.replace(self.service, self.component, 1)
        return Stack.address(
            self, own if port_name.startswith(f"{self.service}_") else port_name
        )


@asynccontextmanager
async def replica_of(
    stack: Stack,
    service: str,
    number: int,
    *,
    door: str = "all",
    program: Sequence[str] = (),
    **settings: str,
) -> AsyncIterator[Replica]:
    """Settings by the names of their variables, where it is to differ from the first; another
    module and its words, where a piece of the service is to be another."""
    state, component = stack.state, f"{service}-{number}"
    await asyncio.to_thread(ports.ensure, state, [f"{component}_api", f"{component}_ops"])
    known = ports.remembered(state)
    surroundings = services.environment(state, service, endpoints(state)) | {
        "PAPERLINE_API_PORT": str(known[f"{component}_api"]),
        "PAPERLINE_OPS_PORT": str(known[f"{component}_ops"]),
        **settings,
    }
    command = [str(packages.PYTHON), "-m", *(program or (f"services.{service}",)), door]
    launch = processes.Launch(component, command, surroundings, REPOSITORY)
    await asyncio.to_thread(processes.start, state, launch)
    try:
        await asyncio.to_thread(services.wait_ready, state, component)
        yield Replica(state, service, component)
    finally:
        await asyncio.to_thread(services.stop, state, component)
