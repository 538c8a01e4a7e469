"""What was drawn is kept with its content, within a limit, and gone with it."""

from hashlib import sha256
from uuid import UUID

from services.review.domain.pages import Width, drawn_prefix
from services.review.handlers.drawn import drop_excess
from services.review.handlers.pages import show_picture, show_words
from services.review.handlers.withdrawing import withdraw_items
from services.review.ports.pages import PageLimits
from tests import builders
from tests.fakes.pages import PNG
from tests.unit.review.test_pages import drawn, shown
from tests.unit.review.world import World


async def test_what_was_drawn_goes_with_the_last_document_that_has_the_content(
    world: World,
) -> None:
    one, other = await shown(world), await shown(world)
    await show_picture(one, 1, Width.READING, world.ports)
    await show_words(one, 1, world.ports)

    await delete(world, one)
    left = drawn(world)
    await delete(world, other)

    assert len(left) == 2
    assert drawn(world) == []
    assert world.page_records.drawn == {}


async def test_a_cancelled_document_is_looked_at_still(world: World) -> None:
    document_id = await shown(world)
    await show_picture(document_id, 1, Width.READING, world.ports)

    cancelled = builders.job(builders.cancelled(document_id=document_id))
    await withdraw_items([cancelled], world.ports)

    assert len(drawn(world)) == 1


async def test_nothing_is_left_of_a_document_that_is_deleted_while_it_is_drawn(
    world: World,
) -> None:
    document_id = await shown(world)

    async def deleted() -> None:
        await delete(world, document_id)

    world.painter.meanwhile = deleted

    await show_picture(document_id, 1, Width.READING, world.ports)

    assert drawn(world) == []


async def test_beyond_the_limit_what_was_looked_at_longest_ago_is_dropped(world: World) -> None:
    world.ports = world.with_page_limits(PageLimits(drawn_bytes_max=len(PNG) + 10))
    old, new = [await shown(world, content) for content in (b"old", b"new")]
    for document_id in (old, new):
        await show_picture(document_id, 1, Width.READING, world.ports)

    assert await drop_excess(world.ports) == 1
    assert await drop_excess(world.ports) == 0

    [kept] = drawn(world)
    assert kept.startswith(drawn_prefix(sha256(b"new").hexdigest()))


async def delete(world: World, document_id: UUID) -> None:
    deleted = builders.job(builders.deleted(document_id=document_id))
    await withdraw_items([deleted], world.ports)
