"""Stop taking from a queue while a provider is away, on the board that all queues share.

The consumers of all replicas read that board; each then lets one delivery through now and
again, and goes on when that one ends well. So nothing here ever ends a pause.
"""

from shared.ledger.board import PostgresPauseBoard


class BoardPauses:
    def __init__(
        self, board: PostgresPauseBoard, queue: str, provider: str, probe_every_s: float
    ) -> None:
        self._board = board
        self._queue = queue
        self._reason = f"{provider}_away"
        self._probe_every_s = probe_every_s

    async def pause(self, detail: str) -> None:
        # Nobody keeps this copy of the board up to date; an old one would believe in a pause
        # that has ended.
        await self._board.read()
        await self._board.pause(
            self._queue,
            reason=self._reason,
            detail=detail,
            probe_every_s=self._probe_every_s,
        )
