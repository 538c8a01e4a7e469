"""`kill -9` of review at each step of a decision or a correction (F10): all of it or nothing,
and the same request sent again is done once.

Before the commit nothing is to be seen of it. After it the item, the messages and the record
are there, and whoever asks again is shown them. A step that the code names and nobody dies at
here is a failure too.
"""

import ast
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from services.review.domain.edits import StaleForm
from services.review.domain.items import ReviewItem
from services.review.handlers.claiming import claim_item, get_item
from services.review.handlers.deciding import approve_item
from services.review.handlers.opening import open_items
from shared.audit.log import Filter, page, verify
from shared.blobs.open import open_blobs
from shared.blobs.pieces import in_one_piece
from tests import builders
from tests.another_invoice import another_invoice
from tests.broker.review_deed import PATH, RIGHT, Doer, done
from tests.broker.review_world import Review, review_service
from tests.house.repository import ROOT

BEFORE, WITHIN, AFTER = "review.before_commit", "review.in_commit", "review.after_commit"
KILLED = -9
# What each deed leaves: the item's status, what is sent, and the line of the record.
DEEDS = {
    "approve": ("approved", ["document.finalise", "review.decided"], "item_approved"),
    "reject": ("rejected", ["review.decided"], "item_rejected"),
    "duplicate": ("rejected", ["review.decided"], "item_rejected"),
    "split": ("rejected", ["document.split", "review.decided"], "item_rejected"),
    "reextract": ("pending", ["document.reextract"], "item_given_back"),
    "reopen": ("pending", ["review.reopened"], "item_reopened"),
    "undo": ("in_review", ["review.reopened"], "item_undone"),
}
TAKEN_BACK = ("reopen", "undo")


@dataclass(frozen=True, slots=True)
class Scene:
    review: Review
    doer: Doer

    async def opened(self) -> ReviewItem:
        """Its bytes lie where the other process looks for them."""
        order = self.review.order()
        read = another_invoice(order.body.document_id)
        read = read.model_copy(update={"media_type": "application/pdf", "page_count": 2})
        kept = await open_blobs(f"file://{self.doer.folder}").write(
            in_one_piece(read.to_bytes())
        )
        self.review.blobs.objects[kept.key] = read.to_bytes()
        body = order.body.model_copy(update={"extraction_key": kept.key})
        await open_items([builders.job(body)], self.review.use)
        return await get_item(body.document_id, self.review.use)

    async def ready_for(self, deed: str) -> ReviewItem:
        item = await self.opened()
        if deed in TAKEN_BACK:
            use = self.review.use
            item = await approve_item(item.document_id, "anna", item.version, use)
        await self.review.forget_outbox()
        return item

    async def kept(self, item: ReviewItem) -> tuple[str | None, str | None, int]:
        """What stands in the field, what is locked, and how often the record says so."""
        fields = await self.review.items.list_fields(item.document_id)
        locked = await self.review.schema.pool.fetchval(
            "SELECT value FROM field_locks WHERE sha256 = $1 AND path = $2", item.sha256, PATH
        )
        lines = await page(
            self.review.schema.pool, Filter(resource=f"review-item/{item.document_id}")
        )
        deeds = Counter(one.entry().action for one in lines)
        values = {one.path: one.value for one in fields}
        return values.get(PATH), locked, deeds["field_corrected"]

    async def traces(self, item: ReviewItem) -> tuple[str, list[str], Counter[str]]:
        """The item's status, what waits to be sent, and its lines of the record."""
        pool = self.review.schema.pool
        wanted = Filter(resource=f"review-item/{item.document_id}")
        lines = await page(pool, wanted)
        now = await get_item(item.document_id, self.review.use)
        sent = [kind for _, kind in await self.review.schema.outbox()]
        return now.status.value, sorted(sent), Counter(one.entry().action for one in lines)


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[Scene]:
    async with review_service(database_url) as review:
        name = review.schema.name
        doer = Doer(f"{database_url}?role=paperline_{name}", name, tmp_path / "blobs")
        yield Scene(review, doer)


@pytest.mark.parametrize("step", [BEFORE, WITHIN, AFTER])
@pytest.mark.parametrize("deed", DEEDS)
async def test_a_deed_is_all_or_nothing_and_done_once(
    scene: Scene, deed: str, step: str
) -> None:
    item = await scene.ready_for(deed)
    original = (await scene.ready_for("approve")).document_id
    status, messages, action = DEEDS[deed]
    before = await scene.traces(item)

    ended = await scene.doer.do(deed, item.document_id, item.version, step=step, of=original)
    seen = await scene.traces(item)
    again = await done(deed, item.document_id, item.version, scene.review.use, original)

    assert ended == KILLED
    expected = (status, sorted(messages), before[2] + Counter([action]))
    assert seen == (expected if step == AFTER else before)
    assert (again.status.value, again.version) == (status, item.version + 1)
    assert await scene.traces(item) == expected
    assert await verify(scene.review.schema.pool) is None


@pytest.mark.parametrize("step", [BEFORE, WITHIN, AFTER])
async def test_a_correction_is_all_or_nothing_and_a_retry_is_shown_what_was_kept(
    scene: Scene, step: str
) -> None:
    item = await scene.opened()
    document_id = item.document_id
    await claim_item(document_id, "anna", scene.review.use)
    before = await scene.kept(item)
    corrected = (RIGHT, RIGHT, 1)

    ended = await scene.doer.do("correct", document_id, item.version, step=step, of=document_id)
    seen = await scene.kept(item)

    assert ended == KILLED
    assert seen == (corrected if step == AFTER else before)
    if step == AFTER:
        # As the desk does, with the tag it had: told what it has itself written.
        with pytest.raises(StaleForm) as refused:
            await done("correct", document_id, item.version, scene.review.use)
        [told] = [one for one in refused.value.differences if one.path == PATH]
        assert (told.theirs, told.yours, told.by) == (RIGHT, RIGHT, "anna")
    else:
        await done("correct", document_id, item.version, scene.review.use)
    assert await scene.kept(item) == corrected
    assert (await get_item(document_id, scene.review.use)).version == item.version + 1
    assert await verify(scene.review.schema.pool) is None


def test_every_step_of_deciding_is_died_at() -> None:
    assert {*_steps()} == {BEFORE, WITHIN, AFTER}


def _steps() -> Iterator[str]:
    for path in (ROOT / "services" / "review" / "handlers").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name("failpoint"), args=[ast.Constant(str(step))]):
                    yield step
