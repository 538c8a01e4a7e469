"""What a load needs grows with it, and the page says what is worked out."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from deploy.sizing import page
from deploy.sizing.figures import SERVICES, from_json, measured
from deploy.sizing.needs import Asked, Needs
from deploy.sizing.tables import rows, size
from tests.house.repository import ROOT

ASKED = Asked(5_000, with_model=True)


def _needs(**other: float) -> Needs:
    return Needs(replace(ASKED, **other), measured())  # type: ignore[arg-type]


def test_what_was_measured_is_of_every_kind_and_everybody() -> None:
    figures = measured()

    assert set(figures.kinds) == {"text", "einvoice", "scan", "model"}
    for kind in figures.kinds.values():
        assert {*SERVICES, "database", "broker"} <= set(kind.cpu_s)
        assert min(kind.messages, kind.message_bytes, kind.wal_bytes, kind.object_bytes) > 0
        assert 0 <= kind.inbox_bytes < kind.database_bytes
    # Of few documents it is lost in pages that were there already.
    assert figures.kinds["text"].inbox_bytes > 0
    assert from_json(figures.as_json()) == figures


def test_twice_the_documents_are_twice_the_work_and_twice_the_disk() -> None:
    one, two = _needs(), _needs(per_hour=10_000)

    assert two.cores("database") == pytest.approx(2 * one.cores("database"))
    assert two.database_bytes == pytest.approx(2 * one.database_bytes)
    assert two.object_bytes == pytest.approx(2 * one.object_bytes)
    assert two.model_usd == pytest.approx(2 * one.model_usd)
    assert two.readers_by_slots >= one.readers_by_slots


def test_scans_cost_readers_by_the_page() -> None:
    few, many = _needs(scans=0.1), _needs(scans=0.6)
    longer = _needs(scans=0.6, pages=4)

    assert few.cores("extractor") < many.cores("extractor") < longer.cores("extractor")
    assert many.cores("ingest") == pytest.approx(longer.cores("ingest"))


def test_slots_hold_what_is_under_way_at_the_provider() -> None:
    needs = _needs(per_hour=36_000, einvoices=0.0, scans=0.0)

    assert needs.calls_per_s == pytest.approx(10)
    assert not needs.is_above_quota
    assert needs.readers_by_slots == 10 * 4 / 8
    assert _needs(per_hour=36_010, einvoices=0.0, scans=0.0).is_above_quota


def test_the_ledger_stays_as_long_as_it_must_and_rows_as_long_as_documents() -> None:
    month, year, two_years = (_needs(kept_days=days) for days in (45, 365, 730))

    assert year.database_bytes < 365 / 45 * month.database_bytes
    kept = two_years.database_bytes - year.database_bytes
    assert kept == pytest.approx(365 / 320 * (year.database_bytes - month.database_bytes))


def test_without_a_model_nothing_is_paid_for_one() -> None:
    assert _needs(with_model=0).model_usd == 0
    assert not [name for name, _ in rows(Needs(Asked(5_000), measured())) if "money" in name]


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0.0 B"), (9_400, "9.4 KB"), (52e9, "52 GB"), (3e16, "30 PB")]
)
def test_a_size_is_said_as_people_say_it(count: float, said: str) -> None:
    assert size(count) == said


def test_the_command_prints_what_was_asked() -> None:
    words = ("--documents-per-hour", "12000", "--scans", "0.3", "--pages", "2", "--model")
    said = subprocess.run(
        [sys.executable, "-m", "deploy.sizing", *words],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    assert "12,000 an hour" in said
    assert "3.0/s of 10/s" in said


def test_the_tables_of_the_page_are_what_is_worked_out() -> None:
    text = page.FILE.read_text()
    blocks = dict(re.findall(r"<!-- made: (\w+) -->\n(.*?)\n<!-- end -->", text, re.DOTALL))

    assert set(blocks) == set(page.BLOCKS)
    for name in ("measured", "offline", "model"):
        assert blocks[name] == page.BLOCKS[name](), "run `python -m deploy.sizing --page`"


def test_what_its_text_says_of_ten_million_a_day_is_what_its_tables_say() -> None:
    needs = Needs(Asked(page.LOADS[-1], with_model=True), measured())
    text = page.FILE.read_text()

    disk = size(needs.database_bytes)
    assert f"| the database's disk | {disk} for a year of ten million a day |" in text
    assert f"| connections | some hundred ({needs.connections:,} at ten million) |" in text


@pytest.mark.slow
def test_the_days_of_the_page_are_what_is_simulated() -> None:
    assert page.BLOCKS["days"]() in page.FILE.read_text(), (
        "run `python -m deploy.sizing --page`"
    )
