"""Files that are split: who is whose part, and the child process that cuts.

Strangers' bytes are opened in the sandbox only; what comes back is kept like an upload.
"""

import json
from collections.abc import Sequence
from uuid import UUID

from services.ingest.adapters.splitting_child import CUT, NO_SUCH_PAGE
from services.ingest.domain.splitting import Child, Family
from shared.database.pool import Pool
from shared.database.statements import statement
from shared.errors import Rejected
from shared.ledger.port import Unit
from shared.sandbox.frames import Frame
from shared.sandbox.pool import Kind
from shared.sandbox.pool import Pool as Children
from shared.sandbox.worker import Bounds

KEEP_CHILDREN = statement(__file__, "keep_children")
SHOW_SPLIT = statement(__file__, "show_split")
FIND_FAMILY = statement(__file__, "find_family")
CHILD = "services.ingest.adapters.splitting_child"
IDLE_S = 30.0


class PostgresSplits:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def keep_children(
        self, unit: Unit, parent_id: UUID, children: Sequence[Child]
    ) -> set[UUID]:
        rows = await unit.connection.fetch(
            KEEP_CHILDREN,
            parent_id,
            [one.document_id for one in children],
            [one.position for one in children],
            [json.dumps(list(one.pages)) for one in children],
        )
        return {row["document_id"] for row in rows}

    async def show_split(self, unit: Unit, parent_id: UUID) -> bool:
        return await unit.connection.fetchval(SHOW_SPLIT, parent_id) is not None

    async def find_family(self, document_id: UUID) -> Family:
        row = await self._pool.fetchrow(FIND_FAMILY, document_id)
        return Family() if row is None else Family(**row)


class SandboxCutter:
    def __init__(self, bounds: Bounds, *, at_once: int) -> None:
        kind = Kind("splitting", CHILD, bounds, at_once, bounds.memory_bytes, IDLE_S)
        self._children = Children(kind)

    async def cut(
        self, document: bytes, media_type: str, parts: Sequence[Sequence[int]]
    ) -> list[bytes]:
        asked = {"media_type": media_type, "parts": [list(one) for one in parts]}
        answer = await self._children.ask(Frame(asked, (document,)))
        found = answer.said.get("found")
        if found == NO_SUCH_PAGE:
            raise Rejected("bad_split", f"the file has {answer.said.get('pages')} pages")
        if found != CUT or len(answer.parts) != len(parts):
            raise Rejected("bad_split", "the file cannot be cut")
        return list(answer.parts)
