"""Hang up on a client that is still talking, so that it hears why.

A socket that is closed with bytes unread tells its peer to forget what it has received: whoever
still sends an upload that was refused would see a broken connection instead of the refusal.
So the answer is ended, and what comes is heard out and thrown away, for a while.
"""

import asyncio
from collections.abc import Callable
from typing import Any, cast

# Below the time for which a stopping server finishes what is in hand.
LISTEN_S = 15.0


class Parting:
    """A transport, but for the way in which it is closed."""

    def __init__(
        self,
        transport: asyncio.Transport,
        is_still_talking: Callable[[], bool],
        listen_s: float,
    ) -> None:
        self._transport = transport
        self._is_still_talking = is_still_talking
        self._listen_s = listen_s
        self._timer: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- whatever the transport has
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Of an answer that was given up nothing more is sent."""
        if not self.is_closing():
            self._transport.write(data)

    def is_closing(self) -> bool:
        return self._timer is not None or self._transport.is_closing()

    def close(self) -> None:
        """At once, too, when it is asked for again."""
        if self.is_closing() or not self._is_still_talking():
            self._close()
            return
        self._timer = asyncio.get_running_loop().call_later(self._listen_s, self._close)
        if self._transport.can_write_eof():
            self._transport.write_eof()
        # The other end hangs up when it has the answer, and that closes this one.
        self._transport.resume_reading()

    def _close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._transport.close()


def parting(
    transport: asyncio.Transport, is_still_talking: Callable[[], bool], listen_s: float
) -> asyncio.Transport:
    return cast(asyncio.Transport, Parting(transport, is_still_talking, listen_s))
