"""API keys that say themselves whose they are: `name:role` opens what the role may do, and
`name:role+other` what either may."""

from shared.access.keys import NO_QUOTA, Caller, Quota
from shared.access.roles import permissions_of


class SpeakingKeys:
    def __init__(self) -> None:
        # By name; a test fills them in.
        self.quotas: dict[str, Quota] = {}
        self.revoked: set[str] = set()
        self.expired: set[str] = set()

    async def authenticate(self, key: str) -> Caller | None:
        """None for what has no role in it, and for whom a test has revoked or let expire."""
        name, _, role = key.partition(":")
        if not role or name in self.revoked | self.expired:
            return None
        roles = role.split("+")
        return Caller(
            name,
            f"key-{name}",
            name,
            frozenset(roles),
            permissions_of(roles),
            self.quotas.get(name, NO_QUOTA),
        )


def key_of(name: str, role: str) -> dict[str, str]:
    """The header that a client would send."""
    return {"Authorization": f"Bearer {name}:{role}"}
