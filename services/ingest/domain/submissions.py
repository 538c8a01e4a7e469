"""What a sender says about a document by message, held to the limits of the HTTP door.

Its owner is believed: whoever may publish to the exchange `ingest` hands in for everybody.
"""

import json
import unicodedata
from datetime import UTC

from services.ingest.domain.documents import Details, clean_filename
from services.ingest.domain.said import (
    Said,
    clean_metadata,
    clean_tags,
    within_due_years,
)
from shared.contracts.orders import SubmitDocumentV1
from shared.errors import Rejected


def details_of(body: SubmitDocumentV1) -> Details:
    """Raises Rejected."""
    return Details(
        owner_id=_plain("owner_id", body.owner_id),
        filename=clean_filename(body.filename),
        priority=body.priority,
        idempotency_key=_plain("idempotency_key", body.idempotency_key),
        route=body.type,
        said=_said(body),
    )


def _said(body: SubmitDocumentV1) -> Said:
    try:
        return Said(
            tags=clean_tags(body.tags),
            metadata=clean_metadata(json.dumps(dict(body.metadata))),
            due_at=within_due_years(body.due_at.astimezone(UTC) if body.due_at else None),
        )
    except (ValueError, OverflowError) as error:
        raise Rejected("invalid_body", f"what is said of it: {error}") from error


def _plain(name: str, text: str) -> str:
    # No database keeps a zero character, and nobody could type the others again.
    if any(unicodedata.category(one)[0] == "C" for one in text):
        raise Rejected("invalid_body", f"{name} holds characters that cannot be printed")
    return text
