"""What does a document leave behind, and what does it cost on its way? All of it, by kind.

What is counted, not how fast: bytes, messages and processor time move least with the machine.
`python -m deploy.sizing --adopt FILE` takes what is written here over into the sizing page.
"""

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from secrets import token_hex

from deploy.local.ports import remembered
from deploy.sizing.figures import Figures, PerDocument
from shared.process.doors import new_loop
from tests.bench._shared.backlog import like_samples, pictures
from tests.bench._shared.footprint import Footprint, Footprints
from tests.bench._shared.model_calls import Model, model_of
from tests.bench._shared.pages import SAMPLES
from tests.bench._shared.quiet_stack import UNLIMITED, own_stack
from tests.bench._shared.report import Goal, conclude, say, table
from tests.bench._shared.uploads import upload_all
from tests.bench._shared.used import rest
from tests.eventually import eventually
from tests.system.client import client_of
from tests.system.records import Records
from tests.system.stack import Stack

NAME = "sizing"
ENDED_WITHIN_S = 1_200.0
LOOK_EVERY_S, LOOKS = 1.0, 3
# What a stack does while nobody asks for anything is no document's.
IDLE_S = 20.0
PAGES_SHOWN = 10
MESSAGES_MAX = 12.0
# Where bytes lie by their digest.
CONTENTS = "sha256"
# The first documents of a process pay for what all others find ready.
WARM = 20
OPEN = """
SELECT (SELECT count(*) FROM ingest.documents WHERE completed_at IS NULL)
     + (SELECT count(*) FROM ingest.documents) - (SELECT count(*) FROM review.review_items)
     + (SELECT count(*) FROM ingest.outbox) + (SELECT count(*) FROM extractor.outbox)
     + (SELECT count(*) FROM storage.outbox) + (SELECT count(*) FROM review.outbox)
"""
NOT_READ = "SELECT status FROM ingest.documents WHERE status <> 'completed'"
SHOWN = "SELECT document_id FROM review.review_items WHERE engine <> 'einvoice' LIMIT $1"


@dataclass(frozen=True, slots=True)
class Counts:
    text: int
    einvoice: int
    scan: int
    model: int


def main() -> None:
    counts = _options()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        figures = runner.run(_measure(counts))
    kinds = figures.kinds
    parts = sorted({name for one in kinds.values() for name in one.cpu_s})
    rows = [
        (part, *(f"{one.cpu_s.get(part, 0) * 1000:.1f}" for one in kinds.values()))
        for part in parts
    ]
    say("\nCPU in ms per document\n")
    table(("", *kinds), rows)
    say("\nbytes and messages per document\n")
    table(
        ("", *kinds),
        [
            ("database", *(f"{one.database_bytes:,.0f}" for one in kinds.values())),
            ("of which inbox", *(f"{one.inbox_bytes:,.0f}" for one in kinds.values())),
            ("write-ahead log", *(f"{one.wal_bytes:,.0f}" for one in kinds.values())),
            (
                "objects beside the scan",
                *(f"{one.object_bytes:,.0f}" for one in kinds.values()),
            ),
            ("messages", *(f"{one.messages:.2f}" for one in kinds.values())),
            ("bytes of one", *(f"{one.message_bytes:,.0f}" for one in kinds.values())),
            ("into queues", *(f"{one.queued:.2f}" for one in kinds.values())),
        ],
    )
    say(f"\nload {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    messages = Goal("messages_per_document", kinds["text"].messages, "<=", MESSAGES_MAX)
    conclude(NAME, figures.as_json(), [messages])


def _options() -> Counts:
    parser = argparse.ArgumentParser(prog="./paperline bench sizing")
    parser.add_argument("--text", type=int, default=600)
    parser.add_argument("--einvoice", type=int, default=300)
    parser.add_argument("--scan", type=int, default=30)
    parser.add_argument("--model", type=int, default=200)
    told = parser.parse_args()
    return Counts(told.text, told.einvoice, told.scan, told.model)


async def _measure(counts: Counts) -> Figures:
    async with own_stack("sizing-stack", **UNLIMITED) as stack, Footprints(stack) as footprints:
        return await _of_every_kind(stack, footprints, counts)


async def _of_every_kind(stack: Stack, footprints: Footprints, counts: Counts) -> Figures:
    kinds: dict[str, PerDocument] = {}
    await _pass(stack, footprints, _texts(WARM))
    idle = await _idle(footprints)
    for name, count, made in (
        ("text", counts.text, _texts),
        ("einvoice", counts.einvoice, _einvoices),
        ("scan", counts.scan, pictures),
    ):
        await _pass(stack, footprints, made(min(WARM, count)))
        kinds[name] = await _difference(stack, footprints, made(count), idle)
    page_bytes = await _show_pages(stack, footprints)
    async with model_of(stack) as model:
        await stack.start("extractor")
        await _pass(stack, footprints, await _known(model, WARM))
        kinds["model"] = await _difference(
            stack, footprints, await _known(model, counts.model), idle
        )
        last = await footprints.taken()
    return Figures(
        kinds=kinds,
        resident_bytes=dict(last.resident_bytes),
        connections=dict(last.connections),
        page_bytes=page_bytes,
    )


async def _idle(footprints: Footprints) -> Mapping[str, float]:
    """Processor time of each in a second in which nothing happens."""
    before = await footprints.taken()
    await rest(IDLE_S)
    after = await footprints.taken()
    took_s = after.at_s - before.at_s
    return {name: (used - before.cpu_s[name]) / took_s for name, used in after.cpu_s.items()}


async def _difference(
    stack: Stack,
    footprints: Footprints,
    contents: Sequence[bytes],
    idle: Mapping[str, float],
) -> PerDocument:
    before = await footprints.taken()
    await _pass(stack, footprints, contents)
    after = await footprints.taken()
    took_s = after.at_s - before.at_s
    begun = {name: used + took_s * idle[name] for name, used in before.cpu_s.items()}
    return _per_document(replace(before, cpu_s=begun), after, contents)


async def _pass(stack: Stack, footprints: Footprints, contents: Sequence[bytes]) -> None:
    """Through all five services, to the last message."""
    say(f"  {len(contents)} documents of {len(contents[0]):,} bytes and more")
    records = Records(stack)
    port = remembered(stack.state)["ingest_api"]
    await upload_all(port, "/v1/documents", contents, key=stack.key)

    quiet = 0

    async def all_ended() -> bool:
        nonlocal quiet
        [[left]] = await records.rows(OPEN)
        quiet = 0 if left or await footprints.waiting() else quiet + 1
        # Once may be between two messages.
        return quiet == LOOKS

    await eventually(all_ended, within_s=ENDED_WITHIN_S, every_s=LOOK_EVERY_S)
    assert not await records.rows(NOT_READ)


async def _show_pages(stack: Stack, footprints: Footprints) -> float:
    """Bytes of a page's pictures, in the widths that the desk asks for."""
    before = await footprints.taken()
    async with client_of(stack) as client:
        for row in await Records(stack).rows(SHOWN, PAGES_SHOWN):
            item = await client.get("review", f"/v1/items/{row[0]}")
            for page in item["pages"]:
                await client.ask("review", page["image"])
    after = await footprints.taken()
    count = after.object_count.get("pages", 0) - before.object_count.get("pages", 0)
    size = after.objects.get("pages", 0) - before.objects.get("pages", 0)
    return size / max(1, count)


def _per_document(
    before: Footprint, after: Footprint, contents: Sequence[bytes]
) -> PerDocument:
    count = len(contents)
    tables = _growth(before.tables, after.tables, count)
    objects = _growth(before.objects, after.objects, count)
    scan_bytes = sum(map(len, contents)) / count
    # What was read lies beside the scans, under its digest as they do.
    objects[CONTENTS] -= scan_bytes
    return PerDocument(
        cpu_s=_growth(before.cpu_s, after.cpu_s, count, smallest=1e-5),
        tables=tables,
        objects=objects,
        scan_bytes=scan_bytes,
        wal_bytes=(after.wal_bytes - before.wal_bytes) / count,
        messages=(after.sent - before.sent) / count,
        message_bytes=(after.sent_bytes - before.sent_bytes) / max(1, after.sent - before.sent),
        queued=(after.queued - before.queued) / count,
    )


def _growth(
    before: Mapping[str, float], after: Mapping[str, float], count: int, smallest: float = 0.5
) -> dict[str, float]:
    grown = {name: (size - before.get(name, 0)) / count for name, size in after.items()}
    return {name: size for name, size in sorted(grown.items()) if size > smallest}


def _texts(count: int) -> Sequence[bytes]:
    return like_samples(count).contents


def _einvoices(count: int) -> list[bytes]:
    [sample] = (one.read_bytes() for one in SAMPLES.glob("*.xml"))
    return [sample + f"<!-- {token_hex(8)} -->\n".encode() for _ in range(count)]


async def _known(model: Model, count: int) -> Sequence[bytes]:
    some = like_samples(count)
    await model.knows(some.contents, some.originals)
    return some.contents


if __name__ == "__main__":
    main()
