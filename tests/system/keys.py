"""Keys of people and programs, issued as by an operator: at the command line."""

import asyncio

from deploy.local import services
from deploy.local.endpoints import endpoints
from tests.system.stack import Stack


async def issued_key(stack: Stack, owner: str, role: str) -> str:
    command = ["shared.access", "issue", "--owner", owner, "--role", role]
    reach = endpoints(stack.state).database["ingest"]
    said = await asyncio.to_thread(
        services.run_module, command, {"PAPERLINE_DATABASE_URL": reach}
    )
    return said.stdout.split()[-1]
