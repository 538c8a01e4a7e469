"""Many changes of many rows cost as much as both together, and not one times the other."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from services.review.domain import editing as subject
from services.review.domain.editing import edited
from services.review.domain.edits import Change
from services.review.domain.items import ItemField
from shared.values.typed import Habits

DOCUMENT = uuid4()
ROWS, CHANGES = 400, 100


def cell(row: int, name: str, position: int) -> ItemField:
    path = f"lines.{row}.{name}"
    return ItemField(
        DOCUMENT, position, path, str(row), None, 0.9, "extracted", "pdf_text", evidence=[]
    )


FORM = [cell(row, "description", row) for row in range(ROWS)]


@pytest.mark.parametrize(
    ("changes", "rows"),
    [
        pytest.param([Change("remove_line", at=0)] * CHANGES, ROWS - CHANGES, id="taken out"),
        pytest.param([Change("insert_line", at=0)] * CHANGES, ROWS + CHANGES, id="put in"),
        pytest.param([Change("duplicate_line", at=0)] * CHANGES, ROWS + CHANGES, id="copied"),
    ],
)
def test_rows_are_numbered_once_however_many_changes_there_are(
    changes: list[Change], rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0

    def counted(one: ItemField, **fields: Any) -> ItemField:  # noqa: ANN401 -- passed on
        nonlocal made
        made += 1
        return replace(one, **fields)

    monkeypatch.setattr(subject, "replace", counted)

    after = edited(DOCUMENT, FORM, changes, "anna", Habits())

    assert len({one.path.split(".")[1] for one in after.fields}) == rows
    assert made <= 2 * (ROWS + CHANGES * len(subject.BLANK_CELLS))


def test_a_row_is_the_same_row_under_its_new_number() -> None:
    after = edited(
        DOCUMENT,
        FORM[:3],
        [
            Change("remove_line", at=0),
            Change("set", "lines.0.description", "second"),
            Change("insert_line", at=1),
            Change("confirm", "lines.2.description"),
        ],
        "anna",
        Habits(),
    )

    told = {one.path: (one.value, one.status) for one in after.fields if one.value is not None}
    assert told == {
        "lines.0.description": ("second", "corrected"),
        "lines.2.description": ("2", "confirmed"),
    }
