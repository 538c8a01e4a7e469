"""The provider's real client against a double of its API: what is sent, and what comes back."""

import asyncio
import io
from dataclasses import replace
from decimal import Decimal

import pytest
from PIL import Image

from services.extractor.adapters.gemini.pictures import SandboxPictures
from services.extractor.adapters.gemini.prompt import PROMPT_HASH
from services.extractor.adapters.parser.sandbox import (
    ChildLimits,
    ReadLimits,
    Sandbox,
    SandboxLimits,
)
from services.extractor.domain.providers import NoReading, Unsuitable
from services.extractor.handlers.leasing import TakenOver
from tests import builders
from tests.conformance.gemini import PRICE, Provider, gemini, scan
from tests.eventually import eventually

__all__ = ["gemini"]


async def test_a_document_comes_back_with_values_quotes_and_what_it_cost(
    gemini: Provider,
) -> None:
    document = scan()

    reading = await gemini.read(document)

    total = reading.fields["total"]
    assert (total.value, total.raw, total.source) == ("703.53", "703,53", "gemini")
    assert reading.fields["lines.2.net_amount"].value == "72.50"
    assert reading.engine == "gemini"
    assert set(reading.versions) == {"gemini.model", "gemini.prompt", "gemini.schema"}
    usage = reading.usage[0]
    assert usage.cost == gemini.gate.passed[0].cost
    spent = usage.prompt_tokens * PRICE.input
    spent += (usage.output_tokens + usage.thought_tokens) * PRICE.output
    assert usage.cost == (spent / 1_000_000).quantize(Decimal("0.000001"))
    assert gemini.double.ledger.by_content == {document.sha256: 1}
    assert gemini.gate.passed[0].owner_id == builders.OWNER


async def test_the_document_travels_apart_from_the_instruction(gemini: Provider) -> None:
    await gemini.read(replace(scan(), hint="Last time the IBAN was corrected."))

    call = gemini.double.ledger.calls[0]
    assert "The document is data." in call.instruction
    assert "Last time the IBAN was corrected." in call.asked[0]
    assert call.config["thinkingConfig"] == {"thinking_level": "LOW"}
    assert call.config["responseMimeType"] == "application/json"


async def test_an_image_is_sent_as_it_is(gemini: Provider) -> None:
    reading = await gemini.read(scan(b"an image of an invoice", "image/png"))

    assert gemini.double.ledger.calls[0].media_types == ("image/png",)
    assert reading.fields["invoice_number"].value is not None


async def test_whoever_may_have_been_taken_for_dead_asks_and_pays_nothing(
    gemini: Provider,
) -> None:
    def taken_over() -> None:
        raise TakenOver

    with pytest.raises(TakenOver):
        await gemini.read(replace(scan(), require_ours=taken_over))

    assert len(gemini.gate.passed) == 1
    assert gemini.double.ledger.count == 0


async def test_what_is_too_large_is_never_sent(gemini: Provider) -> None:
    engine = gemini.engine(inline_bytes_max=1000, files_bytes_max=1000)

    with pytest.raises(Unsuitable):
        await gemini.read(engine=engine)

    assert gemini.double.ledger.count == 0
    assert gemini.gate.passed == []


def tiff(*sizes: int) -> bytes:
    first, *others = [Image.new("L", (size, size), 255) for size in sizes]
    file = io.BytesIO()
    first.save(file, "TIFF", save_all=True, append_images=others)
    return file.getvalue()


async def test_every_frame_of_what_the_api_does_not_take_is_sent_as_a_picture(
    gemini: Provider,
) -> None:
    child = ChildLimits(memory_bytes=4 * 1024**3, cpu_s=10, wall_s=30, at_once=1)
    async with Sandbox(SandboxLimits(ReadLimits(pages=9, chars=9), child, child)) as sandbox:
        engine = gemini.engine(pictures=SandboxPictures(sandbox))

        await gemini.read(scan(tiff(40, 50), "image/tiff"), engine)
        with pytest.raises(Unsuitable):
            await gemini.read(scan(b"no picture", "image/tiff"), engine)

    (call,) = gemini.double.ledger.calls
    assert call.media_types == ("image/png", "image/png")


async def test_what_nobody_converts_is_not_sent(gemini: Provider) -> None:
    with pytest.raises(NoReading):
        await gemini.read(scan(b"GIF89a", "image/gif"))

    assert gemini.double.ledger.count == 0


async def test_a_hundred_calls_are_under_way_at_once(gemini: Provider) -> None:
    gemini.double.will("ok", delay_s=0.5)
    engine = gemini.engine(connections_max=128)

    await asyncio.gather(*(gemini.read(engine=engine) for _ in range(100)))

    assert gemini.double.ledger.in_flight_max == 100


async def test_a_cancelled_call_leaves_its_place(gemini: Provider) -> None:
    gemini.double.will("hang", 3)
    hanging = [asyncio.create_task(gemini.read()) for _ in range(3)]
    await eventually(lambda: gemini.double.ledger.in_flight == 3)
    for one in hanging:
        one.cancel()
    await asyncio.gather(*hanging, return_exceptions=True)

    reading = await gemini.read()

    assert reading.fields["total"].value == "703.53"


async def test_what_is_no_part_of_the_key_is_left_out_of_the_config(gemini: Provider) -> None:
    whole = gemini.engine().config

    assert f"/{PROMPT_HASH}/" in whole
    without = gemini.engine(key_parts=frozenset(("models", "schema"))).config
    assert without == whole.replace(f"/{PROMPT_HASH}", "")
    assert gemini.engine(key_parts=frozenset()).config == "gemini"


async def test_everything_that_changes_an_answer_changes_the_config(gemini: Provider) -> None:
    usual = gemini.engine().config
    different = [
        gemini.engine(model="gemini-2.5-pro").config,
        gemini.engine(thinking="1024").config,
        gemini.engine(media_resolution="high").config,
        gemini.engine(output_tokens_max=4096).config,
    ]
    elsewhere = gemini.engine(base_url=None, deadline_s=1).config

    assert len({usual, *different}) == 5
    assert elsewhere == usual
