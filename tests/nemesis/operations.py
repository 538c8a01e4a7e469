"""Letters sent back together, by an operator who sees each operation through.

A step that fails puts an operation before a person; without one who lets it go on it would
wait for ever, and that would be nobody's fault but the person's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from tests.system.client import Client

PATH = "/ops/v1/operations"


@dataclass(slots=True)
class Operations:
    client: Client
    ended: int = 0
    # Asked for and not told of yet: asked for again under the same key.
    _asked: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Where each of those under way is found.
    _homes: set[str] = field(default_factory=set)

    @property
    def are_over(self) -> bool:
        return not self._asked and not self._homes

    def begin(self, letters: Sequence[str]) -> None:
        wish = {"kind": "replay", "selector": {"ids": list(letters)}}
        self._asked[str(uuid4())] = wish | {"reason": "the cause is gone"}

    async def see_to(self) -> None:
        for key, wish in list(self._asked.items()):
            answer = await self.client.post(
                "monitor", PATH, json=wish, headers={"Idempotency-Key": key}
            )
            if answer.is_success:
                self._homes.add(f"{PATH}/{answer.json()['operation_id']}")
            if answer.is_success or answer.status_code == HTTPStatus.CONFLICT:
                # Another has some of them in hand: they go back by that one.
                del self._asked[key]
        for home in list(self._homes):
            await self._see_to(home)

    async def _see_to(self, home: str) -> None:
        shown = await self.client.ask("monitor", home)
        state = shown.json().get("state")
        if state == "paused":
            seen = {"If-Match": shown.headers["ETag"]}
            await self.client.post("monitor", f"{home}/resume", headers=seen)
        elif state in ("completed", "cancelled"):
            self._homes.remove(home)
            self.ended += 1
