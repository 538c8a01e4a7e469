"""What ingest does: take a document in, by either door, and follow it to its end."""

from services.ingest.handlers.receive import receive_document
from services.ingest.handlers.record import record_facts
from services.ingest.handlers.submit import submit_documents

__all__ = ["receive_document", "record_facts", "submit_documents"]
