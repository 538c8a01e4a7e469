"""API keys that say themselves whose they are: `name:role` opens what the role may do."""

from shared.access.keys import Caller
from shared.access.roles import permissions_of


class SpeakingKeys:
    async def authenticate(self, key: str) -> Caller | None:
        """None for what has no role in it."""
        name, _, role = key.partition(":")
        if not role:
            return None
        return Caller(name, f"key-{name}", name, frozenset({role}), permissions_of([role]))


def key_of(name: str, role: str) -> dict[str, str]:
    """The header that a client would send."""
    return {"Authorization": f"Bearer {name}:{role}"}
