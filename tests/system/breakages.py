"""Each promise broken by hand, in statements: at rest, and of what is under way."""

from collections.abc import Mapping

from tests.system.breakages_of_documents import OF_DOCUMENTS
from tests.system.breakages_of_records import OF_RECORDS
from tests.system.breaking import ANOTHER, Breakage

AT_REST: Mapping[str, Breakage] = {**OF_DOCUMENTS, **OF_RECORDS}
# Of what is under way, while everything else is at work.
AT_WORK: Mapping[str, Breakage] = {
    "a document that nothing carries": Breakage(
        "I2 stranded",
        "<other>",
        ANOTHER,
    ),
    "a document that had ended": Breakage(
        "I14 moved_back",
        "<read>",
        """UPDATE ingest.documents
              SET status = 'processing', rank = 30, completed_at = NULL
            WHERE document_id = '<read>';
           INSERT INTO ingest.waiting
                  (document_id, owner_id, priority, accepted_at, urgent_turn)
           VALUES ('<read>', 'somebody', 3, now(), 0)""",
    ),
}
