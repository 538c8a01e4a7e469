"""A person's changes: all or none, checked by the rules, told to whoever came too late."""

import threading
from collections.abc import Iterator, Sequence
from uuid import uuid4

import pytest

from services.review.domain.claims import LeaseLost
from services.review.domain.edits import (
    Change,
    Difference,
    NotClaimed,
    StaleForm,
    WrongChanges,
)
from services.review.domain.items import (
    AlreadyDecided,
    ClaimedByAnother,
    Decision,
    ItemField,
    NoSuchItem,
)
from services.review.domain.locks import Content
from services.review.handlers.correcting import Correction, correct_fields, preview_fields
from services.review.handlers.deciding import reject_item
from shared.observability.metrics import REGISTRY
from tests.unit.review.form_world import BOX, FormWorld, extraction, invoice, put
from tests.unit.review.world import LEASE_S


def corrections(field: str) -> float:
    labels = {"field": field}
    return REGISTRY.get_sample_value("paperline_review_corrections_total", labels) or 0


@pytest.fixture
def world() -> FormWorld:
    return FormWorld()


async def test_a_value_is_kept_as_it_is_meant_with_what_was_read_beside_it(
    world: FormWorld,
) -> None:
    item = await world.held(total="779.00")
    world.forms.held.clear()

    saved = await world.correct(item, Change("set", "total", "119,00 €", [BOX]))

    total = await world.field(saved, "total")
    assert saved.version == item.version + 1
    assert (total.value, total.raw, total.source) == ("119.00", "119,00 €", "human")
    assert (total.status, total.confidence, total.locked_by) == ("corrected", 1.0, "anna")
    assert total.machine is not None
    assert (total.machine["value"], total.machine["source"]) == ("779.00", "pdf_text")
    assert world.forms.actors == ["anna"]
    # Whoever opens another copy of the bytes at that moment waits for it.
    assert world.forms.held == [Content(item.owner_id, item.sha256)]


async def test_the_rules_run_again_on_every_edit(world: FormWorld) -> None:
    item = await world.held(total="779.00")
    before = {one.code for one in (await world.look(item)).findings}

    saved = await world.correct(item, put("total", "119.00"))
    after = {one.code for one in (await world.look(saved)).findings}
    await world.correct(saved, put("issue_date", "1.1.1999"))
    later = await world.look(saved)

    assert "E4" in before
    assert not after
    assert [one.code for one in later.findings] == ["field_range"]


async def test_what_the_machine_got_wrong_is_counted_by_field(world: FormWorld) -> None:
    item = await world.held(total="779.00")
    before = corrections("total")

    saved = await world.correct(item, put("total", "119.00"))
    await world.correct(saved, put("total", "119.00"))

    assert corrections("total") == before + 1


async def test_one_value_that_cannot_be_read_stops_them_all(world: FormWorld) -> None:
    item = await world.held()
    changes = [
        put("total", "120.00"),
        put("issue_date", "31.2.2026"),
        put("no.such.field", "1"),
        Change("confirm", "due_date"),
        put("lines.9.net_amount", "1"),
        Change("remove_line", at=7),
    ]

    with pytest.raises(WrongChanges) as caught:
        await world.correct(item, *changes)

    assert [(one.place, one.member) for one in caught.value.wrong] == [
        (1, "value"),
        (2, "path"),
        (3, "path"),
        (4, "path"),
        (5, "at"),
    ]
    assert await world.item(item.document_id) == item
    assert (await world.field(item, "total")).value == "119.00"
    assert not [one for one in world.trail.entries if one.action != "item_claimed"]


async def test_what_was_right_after_all_is_the_machines_again(world: FormWorld) -> None:
    item = await world.held()
    saved = await world.correct(item, put("total", "120.00"))

    again = await world.correct(saved, put("total", "119.00"))

    total = await world.field(again, "total")
    assert (total.value, total.status, total.source) == ("119.00", "confirmed", "pdf_text")
    assert total.machine is None


async def test_what_follows_from_the_others_is_worked_out_again(world: FormWorld) -> None:
    item = await world.held(subtotal=None)
    saved = await world.correct(item, put("tax_total", "20.00"))
    first = await world.field(saved, "subtotal")

    saved = await world.correct(saved, put("total", "220.00"))

    second = await world.field(saved, "subtotal")
    assert (first.value, first.status) == ("99.00", "computed")
    assert (second.value, second.status, second.locked_by) == ("200.00", "computed", None)


async def test_what_a_person_took_away_is_not_worked_out(world: FormWorld) -> None:
    item = await world.held()

    saved = await world.correct(item, Change("clear", "subtotal"), put("total", "119.00"))

    subtotal = await world.field(saved, "subtotal")
    assert (subtotal.value, subtotal.status, subtotal.source) == (None, "missing", "human")


async def test_who_is_late_is_told_field_by_field_what_was_changed_and_by_whom(
    world: FormWorld,
) -> None:
    item = await world.held()
    saved = await world.correct(item, put("total", "120.00"))
    saved = await world.correct(saved, put("total", "121.00"), put("currency", "USD"))

    with pytest.raises(StaleForm) as caught:
        await world.correct(item, put("total", "119.50"), put("issue_date", "2026-03-03"))

    at = world.clock.now().isoformat()
    assert caught.value.differences == [
        Difference("total", "119.50", "121.00", "anna", at),
        Difference("currency", None, "USD", "anna", at),
    ]
    assert (await world.field(item, "issue_date")).value == "2026-03-02"
    assert (await world.item(item.document_id)).version == saved.version


async def test_only_who_holds_the_item_changes_it(world: FormWorld) -> None:
    item = await world.shown(extraction(invoice()))

    with pytest.raises(NotClaimed):
        await world.correct(item, put("total", "1.00"))
    await world.claimed(item.document_id, "boris")
    with pytest.raises(ClaimedByAnother):
        await world.correct(item, put("total", "1.00"))

    assert (await world.field(item, "total")).value == "119.00"


async def test_a_lease_that_has_ended_changes_nothing(world: FormWorld) -> None:
    item = await world.held()
    world.clock.advance(LEASE_S + 1)

    with pytest.raises(LeaseLost):
        await world.correct(item, put("total", "1.00"))


async def test_a_decided_item_is_not_edited_and_an_unknown_one_is_not_found(
    world: FormWorld,
) -> None:
    item = await world.held()
    no = Decision(item.document_id, item.version, "anna", "rejected", reason="No.")
    await reject_item(no, world.ports)

    with pytest.raises(AlreadyDecided):
        await world.correct(item, put("total", "1.00"))
    with pytest.raises(NoSuchItem):
        await correct_fields(Correction(uuid4(), "anna", 1, [put("total", "1")]), world.ports)


async def test_every_change_is_on_record_with_before_after_and_evidence(
    world: FormWorld,
) -> None:
    item = await world.held()

    saved = await world.correct(
        item, Change("set", "total", "120.00", [BOX]), Change("confirm", "currency")
    )

    total, currency = world.trail.entries[-2:]
    assert (total.actor, total.action) == ("anna", "field_corrected")
    assert total.before == {
        "path": "total",
        "value": "119.00",
        "status": "extracted",
        "source": "pdf_text",
        "evidence": [BOX],
    }
    assert total.after == {
        "path": "total",
        "value": "120.00",
        "status": "corrected",
        "source": "human",
        "evidence": [BOX],
        "version": saved.version,
    }
    assert currency.action == "field_confirmed"


async def test_a_preview_keeps_nothing(world: FormWorld) -> None:
    item = await world.shown(extraction(invoice()))

    _, look = await preview_fields(
        Correction(item.document_id, "anna", 0, [put("total", "1,00")]), world.ports
    )

    assert "E4" in {one.code for one in look.findings}
    assert look.sums.total_difference == "-118.00"
    assert await world.item(item.document_id) == item
    assert (await world.field(item, "total")).value == "119.00"
    assert world.trail.entries == []


class _Telling(list[Change]):
    """On which thread it was gone through."""

    def __iter__(self) -> Iterator[Change]:
        self.thread = threading.get_ident()
        return super().__iter__()


@pytest.mark.parametrize(("count", "beside"), [(1, False), (500, True)])
async def test_many_changes_of_a_form_are_thought_about_beside_the_loop(
    world: FormWorld, count: int, beside: bool
) -> None:
    item = await world.held()
    changes = _Telling([Change("set", "total", "120,00 €")] * count)

    asked = Correction(item.document_id, "anna", item.version, changes)
    _, look = await preview_fields(asked, world.ports)

    assert (changes.thread != threading.get_ident()) is beside
    assert "120.00" in {one.value for one in look.fields if one.path == "total"}


def _rows(fields: Sequence[ItemField]) -> list[tuple[str, str | None]]:
    return [(one.path, one.value) for one in fields if one.path.startswith("lines.")]


async def test_a_row_that_is_taken_out_leaves_no_gap(world: FormWorld) -> None:
    item = await world.held()

    saved = await world.correct(item, Change("remove_line", at=0))

    look = await world.look(saved)
    assert _rows(look.fields) == [
        ("lines.0.description", "Anchor"),
        ("lines.0.quantity", "1"),
        ("lines.0.unit_price", "60.00"),
        ("lines.0.net_amount", "60.00"),
    ]
    assert look.sums.lines_net == "60.00"
    assert look.sums.lines_difference == "40.00"
    entry = world.trail.entries[-1]
    assert entry.action == "line_removed"


async def test_a_row_is_put_in_filled_and_copied(world: FormWorld) -> None:
    item = await world.held()

    saved = await world.correct(
        item,
        Change("insert_line", at=1),
        put("lines.1.description", "Chain"),
        Change("duplicate_line", at=2),
    )

    described = [
        value for path, value in _rows((await world.look(saved)).fields) if "desc" in path
    ]
    assert described == ["Rope", "Chain", "Anchor", "Anchor"]
    fields = await world.items.list_fields(item.document_id)
    assert all(one.locked_by == "anna" for one in fields if one.path.startswith("lines."))
    assert world.forms.locks[Content(item.owner_id, item.sha256)]["lines"].source == "human"
