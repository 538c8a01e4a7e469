"""Every type on the wire and the newest class that stands for it."""

from collections.abc import Mapping

from shared.contracts.answers import ANSWERS
from shared.contracts.body import Body
from shared.contracts.facts import FACTS
from shared.contracts.orders import (
    ExtractDocumentV1,
    FinaliseDocumentV1,
    OpenReviewV1,
    ReextractDocumentV1,
    SplitDocumentV1,
    StoreDocumentV1,
    SubmitDocumentV1,
)

ORDERS: tuple[type[Body], ...] = (
    SubmitDocumentV1,
    ExtractDocumentV1,
    StoreDocumentV1,
    OpenReviewV1,
    FinaliseDocumentV1,
    SplitDocumentV1,
    ReextractDocumentV1,
)
BODIES: Mapping[str, type[Body]] = {body.type: body for body in (*ORDERS, *FACTS, *ANSWERS)}


def newest_major(body: type[Body]) -> int:
    return int(body.version.partition(".")[0])
