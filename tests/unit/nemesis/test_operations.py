"""An operator who sees his operations through, whatever is answered meanwhile."""

from dataclasses import dataclass, field
from typing import Any, cast

import httpx

from tests.nemesis.operations import Operations
from tests.system.client import Client


@dataclass(slots=True)
class Monitor:
    """Says what it is told to, in order, and remembers what it was asked."""

    answers: list[httpx.Response]
    keys: list[str] = field(default_factory=list)
    resumed: list[str] = field(default_factory=list)

    async def post(self, _service: str, path: str, **given: Any) -> httpx.Response:  # noqa: ANN401
        if path.endswith("/resume"):
            self.resumed.append(given["headers"]["If-Match"])
            return httpx.Response(200)
        self.keys.append(given["headers"]["Idempotency-Key"])
        return self.answers.pop(0)

    async def ask(self, _service: str, _path: str) -> httpx.Response:
        return self.answers.pop(0)


def shown(state: str) -> httpx.Response:
    return httpx.Response(200, json={"state": state}, headers={"ETag": '"3"'})


def begun(*answers: httpx.Response) -> tuple[Operations, Monitor]:
    monitor = Monitor(list(answers))
    operations = Operations(cast("Client", monitor))
    operations.begin(["a letter"])
    return operations, monitor


TAKEN = httpx.Response(202, json={"operation_id": "one"})


async def test_an_operation_is_asked_for_under_one_key_until_it_is_taken() -> None:
    operations, monitor = begun(httpx.Response(503), TAKEN, shown("running"))

    await operations.see_to()
    await operations.see_to()

    assert len(monitor.keys) == 2
    assert len({*monitor.keys}) == 1
    assert not operations.are_over


async def test_one_that_stands_still_is_let_go_on_and_is_over_when_it_is_completed() -> None:
    operations, monitor = begun(TAKEN, shown("paused"), shown("completed"))

    for _ in range(2):
        await operations.see_to()

    assert monitor.resumed == ['"3"']
    assert operations.are_over
    assert operations.ended == 1
