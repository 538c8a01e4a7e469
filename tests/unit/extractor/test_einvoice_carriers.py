"""In a chain nobody opens a PDF to look for an e-invoice that cannot be in it."""

from typing import Any
from uuid import uuid4

import pytest

from services.extractor.adapters.einvoice import WhereThereMayBeOne
from services.extractor.domain.reading import Scan
from tests import builders
from tests.unit.extractor.attached import Attached, pdf_with
from tests.unit.extractor.einvoices import cii

XML = b"<Invoice/>"


class CountingSandbox:
    def __init__(self) -> None:
        self.asked = 0

    async def ask(self, task: str, scan: Scan) -> dict[str, Any]:
        self.asked += 1
        return {"invoices": [], "refused": [], "page_count": 1}


async def _progress(percent: int, stage: str) -> None:
    raise AssertionError("an engine without a wait has nothing to tell")


@pytest.mark.parametrize(
    ("media_type", "content", "asked"),
    [
        pytest.param("application/pdf", builders.PDF, 0, id="nothing attached"),
        pytest.param("application/pdf", pdf_with(Attached(cii().encode())), 1, id="a file"),
        pytest.param("application/pdf", b"%PDF-1.5 /Type /ObjStm", 1, id="packed objects"),
        pytest.param("application/xml", XML, 1, id="XML itself"),
        pytest.param("image/png", XML, 0, id="a picture"),
    ],
)
async def test_a_child_is_asked_where_there_may_be_one(
    media_type: str, content: bytes, asked: int
) -> None:
    sandbox = CountingSandbox()
    engine = WhereThereMayBeOne(sandbox)  # type: ignore[arg-type]  # the part that is asked
    scan = Scan(uuid4(), builders.OWNER, builders.SHA256, media_type, content)

    assert await engine.read(scan, _progress) is None
    assert sandbox.asked == asked
