"""A server that is told how much of what it has is in use."""

from collections.abc import Mapping


class FakeServer:
    def __init__(self, **shares: float) -> None:
        self.shares = shares
        self.error: Exception | None = None

    async def measure_shares(self) -> Mapping[str, float]:
        if self.error is not None:
            raise self.error
        return self.shares
