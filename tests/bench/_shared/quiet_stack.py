"""A stack of a benchmark's own in which no service runs: it starts those that it measures."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.bench._shared.report import folder, say
from tests.system.stack import SERVICES, Stack

# One key sends all of it, and more at once than anybody should.
UNLIMITED = {"PAPERLINE_KEY_RATE_PER_S": "100000", "PAPERLINE_KEY_BURST": "1000000"}


@asynccontextmanager
async def quiet_stack(name: str) -> AsyncIterator[Stack]:
    stack = Stack.below(folder() / name)
    with pytest.MonkeyPatch.context() as surroundings:
        for variable in ("DATABASE_URL", "AMQP_URL", "S3_ENDPOINT"):
            surroundings.delenv(variable, raising=False)
        say("starting a stack of its own")
        try:
            await stack.begin_anew()
            for service in SERVICES:
                await stack.stop(service)
            yield stack
        finally:
            await stack.down()
