"""What leads review, storage and the monitor past their instants: people and readers."""

from collections import Counter
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from uuid import UUID, uuid4

import httpx

from tests.crashes.scene import INSISTS_S, Scene, Steps
from tests.eventually import eventually
from tests.system.invoices import unsure_invoice
from tests.system.reviewing import VAT_ID

RIGHT = "DE123456788"
EXPORTED = "SELECT FROM storage.exports WHERE export_id = $1 AND status = 'completed'"
# Closed before its time: whatever was merged once is merged again as soon as it differs.
CLOSED = """
UPDATE storage.days SET compacted_at = now() - interval '2 days'
 WHERE day = (now() AT TIME ZONE 'UTC')::date RETURNING day
"""
# And not old enough to be pruned; if it was pruned, that was before.
MERGED_NOW = """
UPDATE storage.days SET compacted_at = now(), pruned_at = pruned_at - interval '3 days'
 WHERE day = (now() AT TIME ZONE 'UTC')::date RETURNING day
"""
MERGED = """
SELECT FROM storage.days
 WHERE day = (now() AT TIME ZONE 'UTC')::date AND compacted_revision = revision
   AND compacted_sha256 IS NOT NULL
"""
PRUNABLE = """
UPDATE storage.days SET compacted_at = now() - interval '2 days'
 WHERE day = (now() AT TIME ZONE 'UTC')::date AND manifest_compacted
   AND compacted_revision = revision AND manifest_revision = revision RETURNING day
"""
PRUNED = """
SELECT FROM storage.days
 WHERE day = (now() AT TIME ZONE 'UTC')::date AND pruned_at > now() - interval '1 hour'
"""
STRAY = """
INSERT INTO storage.strays (key, document_id, version, seen_at)
VALUES ($1, $2, 1, now() - interval '2 days')
"""
LATE = "UPDATE monitor.duties SET done_at = done_at - interval '1 day'"
ON_TIME = "SELECT FROM monitor.duties HAVING bool_and(done_at > now() - interval '1 hour')"


async def approve(scene: Scene) -> Steps:
    documents = await scene.approvable()
    yield
    for one in documents:
        scene.begin(scene.approve(one))
    yield
    await scene.all_begun()


async def correct(scene: Scene) -> Steps:
    documents = await scene.in_review(*(unsure_invoice() for _ in range(scene.count)))
    yield
    for one in documents:
        scene.begin(_correct(scene, one))
    yield
    await scene.all_begun()


async def _correct(scene: Scene, document_id: UUID) -> None:
    """Saved twice it is the same value."""

    async def is_saved() -> bool:
        with suppress(httpx.TransportError):
            return (await scene.client.correct(document_id, VAT_ID, RIGHT)).is_success
        return False

    await eventually(is_saved, within_s=INSISTS_S, every_s=0.25)


async def reopen(scene: Scene) -> Steps:
    documents = await scene.approved()
    yield
    for one in documents:
        scene.begin(_until(scene, one, "reopen", "pending"))
    yield
    await scene.all_begun()


async def read_anew(scene: Scene) -> Steps:
    documents = await scene.in_review()
    scene.read_anew.update(documents)
    yield
    for one in documents:
        scene.begin(_until(scene, one, "reextract", "asked"))
    yield
    await scene.all_begun()
    for one in documents:
        await scene.shows(
            "SELECT FROM review.review_items WHERE document_id = $1 AND result_version > 1", one
        )


async def _until(scene: Scene, document_id: UUID, act: str, becomes: str) -> None:
    home, why = f"/v1/items/{document_id}", {"reason": "Somebody has to look again."}

    async def is_so() -> bool:
        with suppress(httpx.TransportError):
            item = await scene.client.ask("review", home)
            assert item.status_code == HTTPStatus.OK, item.text
            shown = item.json()
            if becomes in (shown["status"], _asked(shown)):
                return True
            seen = {"If-Match": item.headers["ETag"]}
            await scene.client.post("review", f"{home}/{act}", json=why, headers=seen)
        return False

    await eventually(is_so, within_s=INSISTS_S, every_s=0.25)


def _asked(shown: dict[str, object]) -> str:
    again = shown["reextract_asked_at"] is not None or shown["result_version"] != 1
    return "asked" if again else ""


async def be_late(scene: Scene) -> Steps:
    """What the monitor does every so often is due."""
    await scene.shows("SELECT FROM monitor.duties")
    yield
    await scene.records.rows(LATE)
    yield
    await scene.shows(ON_TIME)


async def export(scene: Scene) -> Steps:
    await scene.in_review()
    key, wish = {"Idempotency-Key": str(uuid4())}, {"format": "jsonl"}
    yield
    asked = scene.begin(
        scene.insist(
            lambda: scene.client.post("storage", "/v1/exports", json=wish, headers=key)
        )
    )
    yield
    export_id = (await asked).json()["export_id"]
    await scene.shows(EXPORTED, UUID(export_id))


async def hand_over(scene: Scene) -> Steps:
    """Each approved document once, to whoever takes and acknowledges batches."""
    consumer = f"/v1/consumers/{scene.name}"
    await scene.insist(lambda: scene.client.put("storage", consumer, json={"start": "now"}))
    documents = await scene.approved()
    yield
    scene.begin(_taken(scene, consumer, documents))
    yield
    await scene.all_begun()


async def _taken(scene: Scene, consumer: str, documents: list[UUID]) -> None:
    given, receipts = Counter[str](), set[str]()

    async def all_are() -> bool:
        batch = await scene.insist(
            lambda: scene.client.post("storage", f"{consumer}/batches?limit=5")
        )
        if batch.status_code == HTTPStatus.OK:
            told = batch.json()
            home = f"{consumer}/batches/{told['batch_id']}/ack"
            await scene.insist(
                lambda: scene.client.post("storage", home, json={"sha256": told["sha256"]})
            )
            if told["batch_id"] not in receipts:
                receipts.add(told["batch_id"])
                given.update(one["document_id"] for one in told["items"])
        return given.keys() >= {*map(str, documents)}

    await eventually(all_are, within_s=INSISTS_S, every_s=0.25)
    assert set(given.values()) == {1}, given


async def close_the_day(scene: Scene) -> Steps:
    await scene.in_review()
    await scene.shows(CLOSED)
    yield
    yield
    await scene.shows(MERGED)


async def prune_the_day(scene: Scene) -> Steps:
    """What came last may not be counted to its day yet: that is merged anew at any time, and
    then too young to be pruned, until it is said to be old once more."""
    await scene.in_review()
    await scene.shows(MERGED_NOW)
    yield
    await scene.shows(PRUNABLE)
    yield
    await eventually(partial(_is_pruned, scene), within_s=INSISTS_S, every_s=0.25)


async def _is_pruned(scene: Scene) -> bool:
    await scene.records.rows(PRUNABLE)
    return bool(await scene.records.rows(PRUNED))


async def leave_strays(scene: Scene) -> Steps:
    """Files that a killed writer left, of documents that nobody has heard of."""
    strays = [await _left_behind(scene) for _ in range(scene.count)]
    yield
    yield
    await eventually(lambda: not any(one.exists() for one in strays), within_s=INSISTS_S)


async def _left_behind(scene: Scene) -> Path:
    key = f"data/versions/{(document_id := uuid4())}/v1.json"
    stray = scene.stack.blobs / key
    stray.parent.mkdir(parents=True)
    stray.write_bytes(b"written, and never committed")
    await scene.records.rows(STRAY, key, document_id)
    return stray
