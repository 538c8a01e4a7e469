"""What a look at what is left needs from the outside."""

from collections.abc import Mapping
from typing import Protocol


class Server(Protocol):
    async def measure_shares(self) -> Mapping[str, float]:
        """Of what it has only so much of, by `domain/capacity.py`, the share that is in use;
        what it does not tell is left out. Raises Retryable."""
        ...
