"""Who is reading which content, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Sequence, Set

from services.extractor.ports import Lease, Refusal
from shared.database.statements import statement
from shared.ledger.port import Unit

RENEW_LEASES = statement(__file__, "renew_leases")
GIVE_UP_LEASE = statement(__file__, "give_up_lease")
REFUSE_COPIES = statement(__file__, "refuse_copies")
PURGE_LEASES = statement(__file__, "purge_leases")


class PostgresLeases:
    async def renew_leases(
        self, unit: Unit, leases: Sequence[Lease], lease_s: float
    ) -> Set[Lease]:
        by_token = {lease.token: lease for lease in leases}
        columns = zip(*map(_key, leases), strict=True)
        rows = await unit.connection.fetch(RENEW_LEASES, *columns, lease_s)
        return {by_token[row["token"]] for row in rows}

    async def give_up_lease(self, unit: Unit, lease: Lease) -> None:
        await unit.connection.execute(GIVE_UP_LEASE, *_key(lease))

    async def refuse_copies(
        self, unit: Unit, lease: Lease, refusal: Refusal, refusal_s: float
    ) -> None:
        await unit.connection.execute(
            REFUSE_COPIES, *_key(lease), refusal.reason, refusal.detail, refusal_s
        )

    async def purge_leases(self, unit: Unit, count: int) -> int:
        return len(await unit.connection.fetch(PURGE_LEASES, count))


def _key(lease: Lease) -> tuple[object, ...]:
    content = lease.content
    return content.owner_id, content.sha256, content.config, lease.token
