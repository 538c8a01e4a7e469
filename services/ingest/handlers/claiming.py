"""Which document a client's key stands for: that of the first request with it.

Whoever asks about several keys asks once, and may have the same key twice among them.
"""

from collections.abc import Mapping, Sequence

from services.ingest.domain.documents import Claim
from services.ingest.ports import Ports
from shared.errors import LostRace, Rejected
from shared.ledger.port import Unit

Key = tuple[str, str, str]


def key_of(claim: Claim) -> Key:
    return claim.owner_id, claim.route, claim.idempotency_key


async def standing_claims(
    claims: Sequence[Claim], unit: Unit, use: Ports
) -> Mapping[Key, Claim]:
    """For each key the claim that holds: the first of these, or one from before."""
    if not claims:
        return {}
    first: dict[Key, Claim] = {}
    for claim in claims:
        first.setdefault(key_of(claim), claim)
    mine = list(first.values())
    granted = await use.documents.claim_keys(unit, mine, ttl_s=use.idempotency_ttl_s)
    repeats = [one for one in mine if one.document_id not in granted]
    earlier = await use.documents.find_claims(unit, repeats) if repeats else []
    if len(earlier) < len(repeats):
        # They expired between the two statements: the same request now is granted.
        raise LostRace("an idempotency key has just expired")
    return first | {key_of(one): one for one in earlier}


def mismatch(standing: Claim, claim: Claim) -> Rejected | None:
    """A key stands for one request; using it for another is the client's mistake."""
    if standing.request_hash == claim.request_hash:
        return None
    return Rejected("idempotency_mismatch", "This key was used for another request.")
