"""The sample documents in every form, read by the chain as it is shipped, as the demo does."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic import SecretStr

from deploy.samples.electronic import FACTUR_X, XRECHNUNG
from deploy.samples.invoices import INVOICES
from deploy.samples.layouts import drawn
from deploy.samples.paper import FAXED, SCANNED, scan
from deploy.samples.parts import Invoice
from services.extractor.domain.reading import Reading, Scan
from services.extractor.ports import Engine
from services.extractor.settings import Settings
from services.extractor.wiring import engines
from shared.checks.book import Hints
from shared.checks.check_digits import is_iban, is_vat_id
from tests import builders
from tests.fakes.extractor import unwatched

SAMPLES = Path(__file__).parents[3] / "deploy" / "samples"
MEDIA_TYPES = {
    **{".pdf": "application/pdf", ".xml": "application/xml"},
    **{".jpg": "image/jpeg", ".tif": "image/tiff"},
}
ELECTRONIC = ((FACTUR_X, ".pdf"), (XRECHNUNG, ".xml"))
PAPER = ((SCANNED, ".jpg"), (FAXED, ".tif"))
EVERY = (*INVOICES, FACTUR_X, XRECHNUNG, SCANNED, FAXED)


def name_of(one: object) -> str:
    return one.file if isinstance(one, Invoice) else str(one)


@pytest.fixture(scope="module")
async def known() -> AsyncIterator[Mapping[str, Engine]]:
    with pytest.MonkeyPatch.context() as surroundings:
        # Whoever runs this with a key of theirs pays for nothing.
        for name in ("GEMINI_API_KEY", "GEMINI_API_KEY_FILE", "ENGINES"):
            surroundings.delenv(name, raising=False)
        settings = Settings(
            database_url=SecretStr("postgresql://nowhere"),
            amqp_url=SecretStr("amqp://nowhere"),
            blobs_url="file:///nowhere",
        )
    async with engines(settings) as known:
        yield known


async def read(engine: Engine, invoice: Invoice, suffix: str = ".pdf") -> Reading:
    content = (SAMPLES / f"{invoice.file}{suffix}").read_bytes()
    scan = Scan(uuid4(), builders.OWNER, builders.SHA256, MEDIA_TYPES[suffix], content)
    reading = await engine.read(scan, unwatched)
    assert reading is not None
    return reading


def written(invoice: Invoice) -> dict[str, str]:
    stated = {
        "seller.name": invoice.seller.name,
        "invoice_number": invoice.number,
        "issue_date": invoice.issued.isoformat(),
        "due_date": invoice.due.isoformat(),
        "currency": invoice.currency,
        "subtotal": str(invoice.subtotal),
        "tax_total": str(invoice.tax),
        "total": str(invoice.total),
        "seller.vat_id": invoice.seller.tax_id.replace(" ", ""),
        "payment.accounts.0.iban": invoice.seller.iban,
    }
    amounts = {
        f"lines.{at}.net_amount": str(one.amount) for at, one in enumerate(invoice.items)
    }
    return stated | amounts


def values(reading: Reading, invoice: Invoice) -> dict[str, str | None]:
    fields = reading.fields
    return {path: fields[path].value for path in written(invoice) if path in fields}


def warnings(reading: Reading) -> list[str]:
    return [one.code for one in reading.findings if one.severity != "info"]


@pytest.mark.parametrize("invoice", INVOICES, ids=name_of)
async def test_nobody_is_warned_of_a_sample(
    known: Mapping[str, Engine], invoice: Invoice
) -> None:
    reading = await read(known["chain"], invoice)

    assert warnings(reading) == []
    assert reading.confidence > 0.75


@pytest.mark.parametrize(("invoice", "suffix"), ELECTRONIC, ids=name_of)
async def test_an_e_invoice_is_read_to_the_last_line(
    known: Mapping[str, Engine], invoice: Invoice, suffix: str
) -> None:
    reading = await read(known["chain"], invoice, suffix)

    assert reading.engine == "einvoice"
    assert values(reading, invoice) == written(invoice)
    assert warnings(reading) == []
    assert reading.confidence > 0.98


async def test_the_page_of_an_e_invoice_shows_what_its_xml_says(
    known: Mapping[str, Engine],
) -> None:
    page = await read(known["offline"], FACTUR_X)

    assert values(page, FACTUR_X) == written(FACTUR_X)


# Recognising three pages, and loading a model for it, takes seconds.
@pytest.mark.slow
@pytest.mark.parametrize(("invoice", "suffix"), PAPER, ids=name_of)
async def test_what_was_paper_is_read_to_the_last_line(
    known: Mapping[str, Engine], invoice: Invoice, suffix: str
) -> None:
    reading = await read(known["chain"], invoice, suffix)

    assert values(reading, invoice) == written(invoice)
    assert warnings(reading) == []
    assert reading.confidence > 0.75


@pytest.mark.parametrize("invoice", EVERY, ids=name_of)
def test_the_numbers_of_a_sample_have_correct_check_digits(invoice: Invoice) -> None:
    seller = invoice.seller

    assert is_vat_id(seller.tax_id, Hints()) is not False
    assert not seller.iban or is_iban(seller.iban, Hints())


def test_a_sample_is_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("once", "again"):
        drawn(FACTUR_X, tmp_path / f"{name}.pdf").save()
        scan(SCANNED, tmp_path / f"{name}.jpg")

    for suffix in ("pdf", "jpg"):
        once, again = (tmp_path / f"{name}.{suffix}" for name in ("once", "again"))
        assert once.read_bytes() == again.read_bytes()
