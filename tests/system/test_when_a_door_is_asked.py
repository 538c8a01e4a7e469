"""The door `check`, with the account and the settings that the service itself has."""

import asyncio

import pytest

from deploy.local import packages, services
from deploy.local.endpoints import endpoints
from deploy.local.state import REPOSITORY
from tests.system.stack import SERVICES, Stack


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_finds_all_it_stands_on(service: str, stack: Stack) -> None:
    asked = await asyncio.create_subprocess_exec(
        *(str(packages.PYTHON), "-m", f"services.{service}", "check"),
        env=services.environment(stack.state, service, endpoints(stack.state)),
        cwd=REPOSITORY,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await asked.communicate()

    assert asked.returncode == 0, said.decode()
