"""Sign-ins in a dictionary, with tokens that can be read."""

from shared.access.keys import Caller
from shared.access.provider import Person, Provider, caller_for


class InMemorySessions:
    def __init__(self, provider: Provider | None = None) -> None:
        self._provider = provider
        self.alive: dict[str, Caller] = {}
        # Of those whom a provider vouched for.
        self.lifetimes_s: list[float] = []
        self._begun = 0

    async def create(self, caller: Caller) -> str:
        self._begun += 1
        token = f"session-{self._begun}-of-{caller.owner_id}"
        self.alive[token] = caller
        return token

    async def create_for(self, person: Person, lifetime_s: float) -> str:
        assert self._provider is not None
        caller = caller_for(person, self._provider)
        for token, other in [*self.alive.items()]:
            is_outdated = (other.owner_id, other.roles) != (caller.owner_id, caller.roles)
            if other.key_id == caller.key_id and is_outdated:
                del self.alive[token]
        self.lifetimes_s.append(lifetime_s)
        return await self.create(caller)

    async def verify(self, token: str) -> Caller | None:
        return self.alive.get(token)

    async def end(self, token: str) -> bool:
        return self.alive.pop(token, None) is not None
