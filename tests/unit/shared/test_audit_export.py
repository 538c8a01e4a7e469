"""An export of the audit log proves itself, and shows where somebody changed it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from shared.audit.__main__ import main
from shared.audit.chain import Broken, Entry, Link
from shared.audit.reader import check_export, written, written_head
from tests.fakes.audit import InMemoryAuditLog

DEED = Entry("anna", "item_approved", "review-item/7", None, {"total": "1,5", "x": [1.5]}, "Ä")
DEEDS = [replace(DEED, resource=f"review-item/{n}") for n in range(5)]


async def exported() -> list[str]:
    parts = [part async for part in InMemoryAuditLog(DEEDS).export()]
    raw = [written_head(one) if isinstance(one, Link) else written(one) for one in parts]
    return b"".join(raw).decode().splitlines()


async def test_an_export_proves_itself_up_to_its_head() -> None:
    lines = await exported()

    found = check_export(lines)

    assert isinstance(found, Link)
    assert found.seq == len(DEEDS)
    assert json.loads(lines[0])["entry"]["reason"] == "Ä"


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (lambda lines: [*lines[:2], lines[2].replace("anna", "eve"), *lines[3:]], 3),
        (lambda lines: [lines[0], *lines[2:]], 2),
        (lambda lines: lines[:-1], 6),
        (lambda lines: [*lines[:-2], lines[-1]], 5),
    ],
    ids=["a line altered", "a line gone", "cut off", "the last line gone"],
)
async def test_what_was_changed_is_named(change: object, broken: int) -> None:
    assert callable(change)

    found = check_export(change(await exported()))

    assert isinstance(found, Broken)
    assert found.seq == broken


async def test_the_command_proves_a_file_without_a_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = await exported()
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text("\n".join(lines))
    bad.write_text("\n".join(lines).replace("anna", "eve"))

    assert main(["check", str(good)]) == 0
    assert capsys.readouterr().out.startswith("5\t")
    assert main(["check", str(bad)]) == 1
    assert "line 1: altered" in capsys.readouterr().err
