"""Sign-ins in a dictionary, with tokens that can be read."""

from shared.access.keys import Caller


class InMemorySessions:
    def __init__(self) -> None:
        self.alive: dict[str, Caller] = {}

    async def create(self, caller: Caller) -> str:
        token = f"session-{len(self.alive) + 1}-of-{caller.owner_id}"
        self.alive[token] = caller
        return token

    async def verify(self, token: str) -> Caller | None:
        return self.alive.get(token)

    async def end(self, token: str) -> bool:
        return self.alive.pop(token, None) is not None
