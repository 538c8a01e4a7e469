"""What the extractor does: read each content once, and forget what nobody wants any more."""

from services.extractor.handlers.extract import extract_document
from services.extractor.handlers.learn import learn_from_decision
from services.extractor.handlers.withdraw import withdraw_documents

__all__ = ["extract_document", "learn_from_decision", "withdraw_documents"]
