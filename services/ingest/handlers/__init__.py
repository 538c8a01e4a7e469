"""What ingest does: take a document in, by either door, and follow it to its end."""

from services.ingest.handlers.receive import receive_document
from services.ingest.handlers.record import record_facts
from services.ingest.handlers.reprocess import reextract_document, reprocess_document
from services.ingest.handlers.split import split_document
from services.ingest.handlers.submit import submit_documents
from services.ingest.handlers.withdraw import cancel_document, delete_document

__all__ = [
    "cancel_document",
    "delete_document",
    "receive_document",
    "record_facts",
    "reextract_document",
    "reprocess_document",
    "split_document",
    "submit_documents",
]
