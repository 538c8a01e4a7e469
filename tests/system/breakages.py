"""Each promise broken by hand, in statements: which promise, by whom, and how.

The names in angle brackets are those of documents that had ended well. Nothing of this is ever
committed.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from uuid import UUID, uuid4

OTHER = uuid4()


@dataclass(frozen=True, slots=True)
class Victims:
    """What there is to be broken."""

    read: UUID
    copy: UUID
    failed: UUID
    corrected: UUID
    letter: str
    key: str

    def named(self, text: str) -> str:
        names = {**asdict(self), "other": OTHER}
        return re.sub(r"<(\w+)>", lambda found: str(names[found[1]]), text)


@dataclass(frozen=True, slots=True)
class Breakage:
    promise: str
    # None where it does not matter by which of several names it is told.
    offender: str | None
    sql: str


AT_REST: Mapping[str, Breakage] = {
    "a status nobody told": Breakage(
        "I1",
        "<read>",
        "UPDATE ingest.documents SET status = 'failed' WHERE document_id = '<read>'",
    ),
    "a document that is gone": Breakage(
        "I1", "<read>", "DELETE FROM ingest.documents WHERE document_id = '<read>'"
    ),
    "an acceptance without its fact": Breakage(
        "I3",
        "<read>",
        """UPDATE ingest.document_events SET type = 'document.progress'
            WHERE document_id = '<read>' AND seq = 1;
           DELETE FROM monitor.document_facts
            WHERE document_id = '<read>' AND type = 'document.accepted'""",
    ),
    "a result that is gone": Breakage(
        "I5", "<read>", "DELETE FROM storage.stored_results WHERE document_id = '<read>'"
    ),
    "a result that was stored twice": Breakage(
        "I5",
        "<read>",
        """INSERT INTO ingest.document_events
           SELECT document_id, (SELECT max(seq) + 1 FROM ingest.document_events
                                 WHERE document_id = '<read>'), at, type, '<other>', body
             FROM ingest.document_events
            WHERE document_id = '<read>' AND type = 'document.stored';
           INSERT INTO monitor.document_facts
           SELECT document_id, '<other>', type, run, said_at, heard_at, trace_id, cause_id,
                  detail
             FROM monitor.document_facts
            WHERE document_id = '<read>' AND type = 'document.stored'""",
    ),
    "a second review item": Breakage(
        "I6",
        "<read>",
        """ALTER TABLE review.review_items DROP CONSTRAINT review_items_pkey CASCADE;
           ALTER TABLE review.review_items ALTER COLUMN rank_key DROP EXPRESSION,
                                           ALTER COLUMN held_by DROP EXPRESSION;
           INSERT INTO review.review_items
           SELECT * FROM review.review_items WHERE document_id = '<read>'""",
    ),
    "a review item that is gone": Breakage(
        "I6", "<read>", "DELETE FROM review.review_items WHERE document_id = '<read>'"
    ),
    "a content that was read for its copy too": Breakage(
        "I7",
        None,
        """UPDATE ingest.document_events SET body = body || '{"cache_hit": false}'
            WHERE document_id = '<copy>' AND type = 'document.extracted'""",
    ),
    "a locked value that was altered": Breakage(
        "I8",
        "<corrected>",
        """UPDATE review.extracted_fields SET value = 'forged'
            WHERE document_id = '<corrected>' AND locked_by IS NOT NULL""",
    ),
    "a lock that was altered": Breakage(
        "I8",
        None,
        """UPDATE review.field_locks SET value = 'forged'
            WHERE sha256 = (SELECT sha256 FROM review.review_items
                             WHERE document_id = '<corrected>')""",
    ),
    "a trigger that was put off": Breakage(
        "I8",
        "review.extracted_fields.a_locked_field_is_a_persons",
        "ALTER TABLE review.extracted_fields DISABLE TRIGGER a_locked_field_is_a_persons",
    ),
    "a line that was altered": Breakage(
        "I9",
        "review.audit_log",
        """UPDATE review.audit_log
              SET entry = jsonb_set(entry::jsonb, '{reason}', '"forged"')::json
            WHERE seq = (SELECT max(seq) FROM review.audit_log)""",
    ),
    "deeds without their lines": Breakage(
        "I9",
        None,
        "DELETE FROM review.audit_log WHERE resource = 'review-item/<corrected>'",
    ),
    "a right to change the audit": Breakage(
        "I9", "review.audit_log", "GRANT UPDATE ON review.audit_log TO paperline_review"
    ),
    "a timeline with a gap": Breakage(
        "I9",
        "<read>",
        """DELETE FROM ingest.document_events
            WHERE document_id = '<read>' AND type = 'document.started';
           DELETE FROM monitor.document_facts
            WHERE document_id = '<read>' AND type = 'document.started'""",
    ),
    "a message that is owed": Breakage(
        "I10",
        "storage.outbox",
        """INSERT INTO storage.outbox (priority, exchange, routing_key, type, headers, body)
           VALUES (3, 'events', 'document.stored', 'document.stored', '{}', '{}')""",
    ),
    "a message that was parked": Breakage(
        "I10",
        "ingest.outbox_parked",
        """INSERT INTO ingest.outbox_parked
                  (reason, priority, exchange, routing_key, type, headers, body)
           VALUES ('returned', 3, 'jobs', 'nobody.there', 'document.extract', '{}', '{}')""",
    ),
    "a fact that only one has heard": Breakage(
        "I10",
        "<read>",
        """DELETE FROM monitor.document_facts
            WHERE document_id = '<read>' AND type = 'document.extracted'""",
    ),
    "a letter without a home": Breakage(
        "I11",
        "<letter>",
        """UPDATE monitor.dead_letters SET dead_queue = 'unroutable'
            WHERE letter_id = '<letter>'""",
    ),
    "a letter that is gone": Breakage(
        "I12", None, "DELETE FROM monitor.dead_letters WHERE letter_id = '<letter>'"
    ),
    "a letter that waits for no replay": Breakage(
        "I12",
        "<letter>",
        """UPDATE monitor.dead_letters SET state = 'replaying', replay_id = '<other>'
            WHERE letter_id = '<letter>'""",
    ),
    "an item that went back": Breakage(
        "I14",
        "<corrected>",
        "UPDATE review.review_items SET version = 0 WHERE document_id = '<corrected>'",
    ),
    "an end that is still to come": Breakage(
        "I15",
        "<read>",
        """UPDATE ingest.documents SET completed_at = now() + interval '2 hours'
            WHERE document_id = '<read>'""",
    ),
    "a letter that tells the key": Breakage(
        "I18",
        "<letter>",
        """UPDATE monitor.dead_letters SET message = 'denied for <key>'
            WHERE letter_id = '<letter>'""",
    ),
}
# Of what is under way, while everything else is at work.
AT_WORK: Mapping[str, Breakage] = {
    "a document that nothing carries": Breakage(
        "I2",
        "<other>",
        """ALTER TABLE ingest.documents ALTER COLUMN duplicate DROP EXPRESSION;
           INSERT INTO ingest.documents
           SELECT (jsonb_populate_record(d, jsonb_build_object(
                       'document_id', '<other>', 'status', 'queued', 'rank', 10,
                       'stage', 'queued', 'completed_at', NULL, 'result_version', 0,
                       'result_key', NULL, 'review_status', NULL))).*
             FROM ingest.documents d
            WHERE document_id = '<read>';
           INSERT INTO ingest.document_events
           SELECT '<other>', seq, at, type, fact_id, body
             FROM ingest.document_events
            WHERE document_id = '<read>' AND seq = 1""",
    ),
    "a document that had ended": Breakage(
        "I14",
        "<read>",
        """UPDATE ingest.documents
              SET status = 'processing', rank = 30, completed_at = NULL
            WHERE document_id = '<read>';
           INSERT INTO ingest.waiting
                  (document_id, owner_id, priority, accepted_at, urgent_turn)
           VALUES ('<read>', 'somebody', 3, now(), 0)""",
    ),
}
