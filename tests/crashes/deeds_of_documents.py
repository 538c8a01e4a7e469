"""What leads a process past its instants: documents on their way in, and out again."""

from contextlib import suppress
from functools import partial
from http import HTTPStatus
from math import ceil
from uuid import UUID, uuid4

import httpx

from shared.blobs.open import open_blobs
from shared.blobs.pieces import in_one_piece
from shared.contracts.orders import SubmitDocumentV1
from shared.publishing import NoAnswer, NotSubmitted, Submitter
from tests.crashes.scene import ENDS_WITHIN_S, INSISTS_S, Scene, Steps
from tests.eventually import eventually
from tests.fakes.receiver import receiver
from tests.system.invoices import INVOICE, OTHER_INVOICE, invoice, several

ERASED = "SELECT FROM ingest.documents WHERE document_id = $1 AND stage = 'done'"
SLOW_S = 1.5
# As many may be told at a time.
AT_ONCE = 4


async def hand_in(scene: Scene) -> Steps:
    yield
    scene.hand_in()
    yield


async def hand_in_twice(scene: Scene) -> Steps:
    """So that the second to die has something in hand, also if the first had done all of it."""
    yield
    scene.hand_in()
    yield
    scene.hand_in()
    yield


async def hand_in_a_batch(scene: Scene) -> Steps:
    contents, key = scene.contents(), str(uuid4())
    yield
    scene.begin(
        scene.insist(
            lambda: scene.client.hand_in_together(
                contents, filename=f"{scene.name}.pdf", idempotency_key=key
            )
        )
    )
    yield
    await scene.all_begun()
    made = await scene.records.documents(scene.name)
    assert len(made) == scene.count, made


async def submit(scene: Scene) -> Steps:
    """By message, as a program does that speaks to the broker."""
    blobs = open_blobs(f"file://{scene.stack.blobs}")
    keys = [(await blobs.write(in_one_piece(one))).key for one in scene.contents()]
    url = (scene.stack.state.root / "publisher").read_text().strip()
    yield
    async with Submitter(url) as submitter:
        for at, key in enumerate(keys):
            asked = SubmitDocumentV1(
                owner_id="local",
                idempotency_key=f"{scene.name}-{at}",
                content_key=key,
                filename=f"{scene.name}-{at}.pdf",
            )
            scene.begin(_submitted(scene, submitter, asked))
        yield
        await scene.all_begun()


async def _submitted(scene: Scene, submitter: Submitter, asked: SubmitDocumentV1) -> None:
    async def is_answered() -> bool:
        with suppress(NoAnswer, NotSubmitted):
            answer = await submitter.submit(asked)
            assert answer.document_id is not None, answer
            scene.client.promised.add(answer.document_id)
            return True
        return False

    await eventually(is_answered, within_s=INSISTS_S, every_s=0.25)


async def hand_in_copies(scene: Scene) -> Steps:
    """The same bytes while they are read: all but one have to wait."""
    assert scene.provider is not None
    content = invoice()
    scene.provider.will("ok", delay_s=SLOW_S)
    try:
        yield
        for _ in range(scene.count + 1):
            scene.begin(scene.handed_in(content))
        yield
        await scene.all_begun()
    finally:
        scene.provider.will("ok")


async def cancel(scene: Scene) -> Steps:
    await scene.stack.stop("extractor")
    try:
        documents = await scene.all_handed_in()
        scene.cancelled.update(documents)
        yield
        for one in documents:
            path = f"/v1/documents/{one}/cancel"
            # Cancelled already, it says so.
            again = HTTPStatus.CONFLICT
            scene.begin(scene.insist(partial(scene.client.post, "ingest", path), again))
        yield
        await scene.all_begun()
    finally:
        await scene.stack.start("extractor")
    for one in documents:
        told = await scene.client.events(one)
        assert told.count("document.cancelled") == 1, told


async def delete(scene: Scene) -> Steps:
    documents = await scene.in_review()
    yield
    for one in documents:
        path = f"/v1/documents/{one}"
        gone = HTTPStatus.NOT_FOUND
        scene.begin(scene.insist(partial(scene.client.delete, "ingest", path), gone))
    yield
    await scene.all_begun()
    for one in documents:
        await scene.shows(ERASED, one)
    # What was promised to this client is gone because it wanted so.
    scene.client.promised.difference_update(documents)


async def expire(scene: Scene) -> Steps:
    """What has ended long ago is erased by itself; only these have."""
    documents = await scene.in_review()
    for one in documents:
        await scene.client.reject(one)
    await scene.rests()
    await scene.records.rows(
        "UPDATE ingest.documents SET released_at = released_at - interval '11 days',"
        " started_at = started_at - interval '11 days',"
        " completed_at = completed_at - interval '11 days' WHERE document_id = ANY ($1)",
        documents,
    )
    yield
    yield
    for one in documents:
        await scene.shows(ERASED, one)
    scene.client.promised.difference_update(documents)


async def tell_a_webhook(scene: Scene) -> Steps:
    async with receiver() as theirs:
        wanted = {"url": f"http://127.0.0.1:{theirs.port}/", "events": ["document.ended"]}
        yield
        made = await scene.insist(
            lambda: scene.client.post("ingest", "/v1/webhooks", json=wanted)
        )
        scene.hand_in()
        yield
        await scene.all_begun()
        await eventually(lambda: _all_heard(scene, len(theirs.heard)), within_s=INSISTS_S)
        told = [one.headers["paperline-delivery"] for one in theirs.heard]
        # Again come only those whose answers nobody had written down.
        assert len(set(told)) == scene.count and len(told) <= scene.count + AT_ONCE, told
        home = f"/v1/webhooks/{made.json()['webhook_id']}"
        await scene.insist(lambda: scene.client.delete("ingest", home))


async def _all_heard(scene: Scene, heard: int) -> bool:
    # As if the lease of whoever died had ended.
    await scene.records.rows(
        "UPDATE ingest.webhook_deliveries SET due_at = now() WHERE state = 'sending'"
    )
    left = await scene.records.rows(
        "SELECT FROM ingest.webhook_deliveries WHERE state IN ('pending', 'sending')"
    )
    return heard >= scene.count and not left


async def split(scene: Scene) -> Steps:
    # Each becomes three documents.
    count = ceil(scene.count / 3)
    piles = await scene.in_review(*(several(INVOICE, OTHER_INVOICE) for _ in range(count)))
    yield
    for one in piles:
        scene.begin(_split(scene, one))
    yield
    await scene.all_begun()
    await eventually(
        lambda: scene.records.has_ended(scene.name, count=3 * count),
        within_s=ENDS_WITHIN_S,
    )
    scene.client.promised |= await scene.records.documents(scene.name)


async def _split(scene: Scene, pile: UUID) -> None:
    async def is_split() -> bool:
        with suppress(httpx.TransportError):
            item = await scene.client.get("review", f"/v1/items/{pile}")
            if item["status"] == "rejected":
                return True
            await scene.client.split(pile, [1], [2])
        return False

    await eventually(is_split, within_s=INSISTS_S, every_s=0.25)
