"""Each promise broken by hand, in statements: which promise, by whom, how, and which check of
it has to see that.

The names in angle brackets are those of documents that had ended well. Nothing of this is ever
committed.
"""

import re
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
    # As "I1 told_twice": the promise, and the check that must name it.
    check: str
    # None where it does not matter by which of several names it is told.
    offender: str | None
    sql: str

    @property
    def promise(self) -> str:
        return self.check.split()[0]


# Of a deed that is only half of what is broken, the line is written as its service would.
LINE = """SET LOCAL session_replication_role = origin;
          INSERT INTO {home}.audit_log (entry)
          VALUES ('{{"actor": "anna", "action": "{action}", "resource": "{resource}",
                    "before": null, "after": {after}, "reason": ""}}');
          SET LOCAL session_replication_role = replica;"""
# Another document like one that is read, of which everybody has heard.
ANOTHER = """ALTER TABLE ingest.documents ALTER COLUMN duplicate DROP EXPRESSION;
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
              WHERE document_id = '<read>' AND seq = 1;
             INSERT INTO monitor.document_facts
             SELECT '<other>', job_id, type, run, said_at, heard_at, trace_id, cause_id, detail
               FROM monitor.document_facts
              WHERE document_id = '<read>' AND type = 'document.accepted';"""
# A second item is not possible, so the table has to lose what makes it so.
ITEMS_LOOSE = """ALTER TABLE review.review_items
                       DROP CONSTRAINT review_items_pkey CASCADE;
                 ALTER TABLE review.review_items ALTER COLUMN rank_key DROP EXPRESSION,
                                                 ALTER COLUMN held_by DROP EXPRESSION;"""
