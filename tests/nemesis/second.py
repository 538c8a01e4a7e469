"""The second process of a service, beside the stack's own, struck like any other.

Alone, whoever freezes for longer than its lease finds its work untouched: only beside an heir
who has taken it meanwhile is anything fenced.
"""

import asyncio
from dataclasses import dataclass

from deploy.local import packages, ports, processes, services
from deploy.local.endpoints import endpoints
from deploy.local.state import REPOSITORY
from tests.system.stack import Stack


@dataclass(frozen=True, slots=True)
class Second:
    stack: Stack
    service: str

    @property
    def component(self) -> str:
        return f"{self.service}-2"

    async def start(self) -> None:
        """When it does not run."""
        state = self.stack.state
        if not self.stack.runs(self.component):
            await asyncio.to_thread(self._start)
        await asyncio.to_thread(services.wait_ready, state, self.component)

    async def stop(self) -> None:
        await asyncio.to_thread(services.stop, self.stack.state, self.component)

    def _start(self) -> None:
        state, component = self.stack.state, self.component
        processes.sweep(state, component)
        ports.ensure(state, [f"{component}_api", f"{component}_ops"])
        known = ports.remembered(state)
        surroundings = services.environment(state, self.service, endpoints(state)) | {
            "PAPERLINE_API_PORT": str(known[f"{component}_api"]),
            "PAPERLINE_OPS_PORT": str(known[f"{component}_ops"]),
        }
        command = [str(packages.PYTHON), "-m", f"services.{self.service}", "all"]
        processes.start(state, processes.Launch(component, command, surroundings, REPOSITORY))
