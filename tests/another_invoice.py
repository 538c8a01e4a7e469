"""An invoice like any other, under a number of its own: it repeats no other one."""

from uuid import UUID

from shared.contracts.extraction import ExtractionV1
from tests import builders


def another_invoice(document_id: UUID) -> ExtractionV1:
    read = builders.extraction(document_id=document_id)
    number = builders.read_as(f"R-{document_id.hex}")
    return read.model_copy(update={"fields": {**read.fields, "invoice_number": number}})
