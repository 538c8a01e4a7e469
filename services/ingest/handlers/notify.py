"""What owners may want to be told of, in the commit in which it becomes true.

A notice is made from a fact and carries its identity, so that a fact which comes twice tells
once. It names ids and a status; whoever is told looks up the rest with a key of their own.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID, uuid5

from services.ingest.domain.facts import Arrival
from services.ingest.domain.webhooks import Notice, written
from services.ingest.ports import Moved, Ports
from shared.contracts.body import DocumentFact
from shared.contracts.facts import (
    BatchCompletedV1,
    DocumentEndedV1,
    DocumentFinalisedV1,
    ReviewDecidedV1,
)
from shared.ledger.port import Unit

# Facts of which owners are told, besides the end of a document.
NOTICED = (DocumentFinalisedV1, ReviewDecidedV1)


async def tell_owners(unit: Unit, notices: Sequence[Notice], use: Ports) -> None:
    """In the transaction that makes it true."""
    if notices:
        await use.webhooks.insert_notices(unit, notices)


def notices_of(
    moved: Sequence[Moved],
    ends: Sequence[DocumentEndedV1],
    arrivals: Sequence[Arrival],
    use: Ports,
) -> list[Notice]:
    """`ends`: how documents came to their end just now."""
    # Nothing is told of a document that nobody knows, or that its client took back.
    known = {one.document_id for one in moved}
    told = [one for one in arrivals if one.fact.document_id in known]
    decided = [_decided(one, use) for one in told if isinstance(one.fact, ReviewDecidedV1)]
    final = [_finalised(one, use) for one in told if isinstance(one.fact, DocumentFinalisedV1)]
    return [*(end_notice(one, use) for one in ends), *decided, *final]


def end_notice(fact: DocumentEndedV1, use: Ports) -> Notice:
    # Named after what ended it: the announcement itself is made anew with every try.
    fact_id = fact.cause_id or fact.document_id
    return _notice(fact.type, fact_id, fact, {"status": fact.status}, use)


def batch_notice(fact: BatchCompletedV1, use: Ports) -> Notice:
    fact_id = uuid5(fact.batch_id, str(fact.revision))
    own = f"/v1/batches/{fact.batch_id}"
    said = {
        **fact.model_dump(mode="json", exclude={"owner_id", "cause_id"}),
        "links": {"self": own, "result": f"{own}/result"},
    }
    body = written(fact.type, fact_id, use.clock.now(), said)
    return Notice(fact.owner_id, fact.type, fact_id, body)


def _decided(arrival: Arrival, use: Ports) -> Notice:
    fact = arrival.fact
    assert isinstance(fact, ReviewDecidedV1)  # noqa: S101 -- asked for by the caller
    # Not who decided: that is a person's name.
    return _notice(fact.type, arrival.fact_id, fact, {"verdict": fact.verdict}, use)


def _finalised(arrival: Arrival, use: Ports) -> Notice:
    fact = arrival.fact
    assert isinstance(fact, DocumentFinalisedV1)  # noqa: S101
    said = {"verdict": fact.verdict, "result_version": fact.result_version}
    return _notice(fact.type, arrival.fact_id, fact, said, use)


def _notice(
    event: str, fact_id: UUID, fact: DocumentFact, said: Mapping[str, Any], use: Ports
) -> Notice:
    own = f"/v1/documents/{fact.document_id}"
    data = {
        "document_id": str(fact.document_id),
        **said,
        "links": {"self": own, "result": f"{own}/result"},
    }
    return Notice(fact.owner_id, event, fact_id, written(event, fact_id, use.clock.now(), data))
