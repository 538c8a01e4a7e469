"""What was read becomes rows of a real PostgreSQL, whatever a document may hold."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from services.review.domain.items import ItemField, fields_of
from services.review.handlers.opening import open_items
from shared.contracts.extraction import Alternative, Evidence, ExtractedField
from tests import builders
from tests.broker.review_world import Review, review_service


@pytest.fixture
async def review(database_url: str) -> AsyncIterator[Review]:
    async with review_service(database_url) as review:
        yield review


async def test_what_postgres_cannot_hold_does_not_stop_an_item(review: Review) -> None:
    odd = ExtractedField(value="a\0b", raw="\0", confidence=1, status="extracted")
    order = review.order(fields={"seller.name": odd})

    await open_items([order], review.use)

    [field] = await review.items.list_fields(order.body.document_id)
    assert field.value == "a\ufffdb"


async def test_a_value_is_kept_as_it_was_read_whatever_stands_in_it(review: Review) -> None:
    texts = ("\\u0000", '"', "{a,NULL}", "null", "\u2028 \U0001f9fe \x7f", " ", "")
    fields = {
        f"lines.{at}.description": ExtractedField(
            value=text,
            raw=None if at % 2 else text,
            confidence=0.1 + 0.2,
            status="extracted",
            source="ocr",
            evidence=(Evidence(page=1, bbox=(0, 1e-7, 0.5, 1), text=text),) * at,
            alternatives=(Alternative(value=text, source="ocr", confidence=0.25),),
        )
        for at, text in enumerate(texts)
    }
    order = review.order(fields=fields)

    await open_items([order], review.use)

    read = builders.extraction(document_id=order.body.document_id, fields=fields)
    kept = await review.items.list_fields(order.body.document_id)
    assert [replace(one, machine=None) for one in kept] == fields_of(read)
    assert [one.machine for one in kept] == [None] * len(texts)


async def test_what_postgres_cannot_hold_is_replaced_within_documents_too(
    review: Review,
) -> None:
    order = review.order()
    await open_items([order], review.use)
    odd = ItemField(
        order.body.document_id, 9, "lines.0.code", None, "a\0b", 1.0, "missing", None,
        evidence=[{"text": "a\0b", "page": 1}], machine={"value": "\0"},
    )  # fmt: skip

    async with review.use.ledger.unit() as unit:
        await review.use.items.keep_fields(unit, [odd])

    kept = (await review.items.list_fields(order.body.document_id))[-1]
    assert (kept.raw, kept.evidence) == ("a\ufffdb", [{"text": "a\ufffdb", "page": 1}])
    assert kept.machine == {"value": "\ufffd"}
