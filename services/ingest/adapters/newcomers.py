"""Documents that are being accepted, as the columns that one statement takes them in by."""

import json
from collections.abc import Sequence

from services.ingest.adapters.documents import event_body
from services.ingest.domain.documents import NewDocument, accepted_fact
from services.ingest.domain.turns import Newcomer

Column = list[object]
_PLACES, _ROWS = 6, 14


def place_columns(newcomers: Sequence[Newcomer]) -> list[Column]:
    return _columns([_placed(one) for one in newcomers], _PLACES)


def row_columns(documents: Sequence[NewDocument]) -> list[Column]:
    return _columns([_kept(one) for one in documents], _ROWS)


def _columns(rows: Sequence[tuple[object, ...]], count: int) -> list[Column]:
    # Of no rows there are as many columns.
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(count)]


def _placed(one: Newcomer) -> tuple[object, ...]:
    return (
        one.document_id,
        one.owner_id,
        int(one.priority),
        one.accepted_at,
        one.traceparent,
        one.ready,
    )


def _kept(document: NewDocument) -> tuple[object, ...]:
    scan, details = document.scan, document.details
    return (
        document.document_id,
        document.accepted_id,
        document.accepted_at,
        details.owner_id,
        int(details.priority),
        details.filename,
        scan.media_type,
        scan.sha256,
        scan.size_bytes,
        scan.content_key,
        event_body(accepted_fact(document)),
        json.dumps(details.said.tags),
        details.said.metadata,
        details.said.due_at,
    )
