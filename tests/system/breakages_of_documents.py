"""What was promised of documents, broken by hand: where they stand, what became of them."""

from collections.abc import Mapping

from tests.system.breaking import ANOTHER, ITEMS_LOOSE, LINE, Breakage

OF_DOCUMENTS: Mapping[str, Breakage] = {
    "a status nobody told": Breakage(
        "I1 ended_without_a_word",
        "<failed>",
        """UPDATE ingest.document_events SET type = 'document.progress'
            WHERE document_id = '<failed>' AND type = 'document.failed';
           DELETE FROM monitor.document_facts
            WHERE document_id = '<failed>' AND type = 'document.failed'""",
    ),
    "a document that is gone": Breakage(
        "I1 traces_without_a_document",
        "<read>",
        "DELETE FROM ingest.documents WHERE document_id = '<read>'",
    ),
    "an end that the operators do not know": Breakage(
        "I1 told_differently",
        "<read>",
        """UPDATE monitor.documents_seen SET status = 'failed'
            WHERE document_id = '<read>'""",
    ),
    "a batch that has not noticed its end": Breakage(
        "I1 batches_that_do_not_add_up",
        "<other>",
        """INSERT INTO ingest.batches (batch_id, owner_id, created_at, rejected)
           VALUES ('<other>', 'somebody', now(), '[]');
           INSERT INTO ingest.batch_members (document_id, batch_id, position)
           VALUES ('<read>', '<other>', 0)""",
    ),
    "a document that waits although all is at rest": Breakage(
        "I1 under_way_at_rest",
        "<other>",
        ANOTHER
        + """INSERT INTO monitor.documents_seen
             SELECT (jsonb_populate_record(s, jsonb_build_object(
                         'document_id', '<other>', 'status', 'queued', 'rank', 10))).*
               FROM monitor.documents_seen s
              WHERE document_id = '<read>';
             INSERT INTO ingest.waiting
                    (document_id, owner_id, priority, accepted_at, urgent_turn)
             VALUES ('<other>', 'somebody', 3, now(), 0)""",
    ),
    "a document that was given up as lost": Breakage(
        "I2 given_up_as_lost",
        "<failed>",
        """UPDATE ingest.document_events SET body = body || '{"reason": "lost"}'
            WHERE document_id = '<failed>' AND type = 'document.failed'""",
    ),
    "a document that the sweeper helped": Breakage(
        "I2 repairs",
        "<read>",
        "UPDATE ingest.documents SET sweeps = 1 WHERE document_id = '<read>'",
    ),
    "an acceptance without its fact": Breakage(
        "I3 accepted_unannounced",
        "<read>",
        """UPDATE ingest.document_events SET type = 'document.progress'
            WHERE document_id = '<read>' AND seq = 1;
           DELETE FROM monitor.document_facts
            WHERE document_id = '<read>' AND type = 'document.accepted'""",
    ),
    "a result that is gone": Breakage(
        "I5 ended_without_a_result",
        "<read>",
        "DELETE FROM storage.stored_results WHERE document_id = '<read>'",
    ),
    "a result that was stored twice": Breakage(
        "I5 told_twice",
        "<read>",
        """INSERT INTO ingest.document_events
           SELECT document_id, (SELECT max(seq) + 1 FROM ingest.document_events
                                 WHERE document_id = '<read>'), at, type, '<other>', body
             FROM ingest.document_events
            WHERE document_id = '<read>' AND type = 'document.stored';
           INSERT INTO monitor.document_facts
           SELECT document_id, '<other>', type, run, said_at, heard_at, trace_id, NULL,
                  detail
             FROM monitor.document_facts
            WHERE document_id = '<read>' AND type = 'document.stored'""",
    ),
    "a result of what was cancelled": Breakage(
        "I5 results_of_nobody",
        "<failed>",
        LINE.format(
            home="ingest",
            action="document_cancelled",
            resource="document/<failed>",
            after="null",
        )
        + """UPDATE ingest.documents
                SET status = 'cancelled', completed_at = clock_timestamp()
              WHERE document_id = '<failed>';
             UPDATE ingest.document_events SET type = 'document.cancelled'
              WHERE document_id = '<failed>' AND type = 'document.failed';
             UPDATE monitor.documents_seen SET status = 'cancelled'
              WHERE document_id = '<failed>';
             INSERT INTO storage.stored_results
                    (document_id, version, owner_id, accepted_at, extraction_key, result_key,
                     has_files)
             SELECT '<failed>', version, owner_id, accepted_at, extraction_key, result_key,
                    false
               FROM storage.stored_results
              WHERE document_id = '<read>' AND version = 1""",
    ),
    "an export that knows another version": Breakage(
        "I5 outputs_behind",
        "<read>",
        "UPDATE storage.result_index SET version = 7 WHERE document_id = '<read>'",
    ),
    "a merged day that is gone": Breakage(
        "I5 merged_days",
        "2020-02-29",
        """INSERT INTO storage.days
                  (day, revision, manifest_revision, manifest_compacted, compacted_revision,
                   compacted_at, compacted_size, compacted_sha256, compacted_rows, pruned_at)
           VALUES ('2020-02-29', 1, 1, true, 1, now(), 1, '', 1, now())""",
    ),
    "a second review item": Breakage(
        "I6 items_twice",
        "<read>",
        ITEMS_LOOSE
        + """INSERT INTO review.review_items
             SELECT * FROM review.review_items WHERE document_id = '<read>'""",
    ),
    "a review item that is gone": Breakage(
        "I6 unreviewed",
        "<read>",
        "DELETE FROM review.review_items WHERE document_id = '<read>'",
    ),
    "an item of what was never read": Breakage(
        "I6 items_of_nobody",
        "<failed>",
        ITEMS_LOOSE
        + """INSERT INTO review.review_items
             SELECT (jsonb_populate_record(i, jsonb_build_object(
                         'document_id', '<failed>'))).*
               FROM review.review_items i
              WHERE document_id = '<read>'""",
    ),
    "a claim that nobody ended": Breakage(
        "I6 claims_nobody_ended",
        "<read>",
        """UPDATE review.review_items
              SET status = 'in_review', claimed_by = 'anna',
                  claimed_until = now() - interval '1 hour'
            WHERE document_id = '<read>'""",
    ),
    "a review of which the client is told otherwise": Breakage(
        "I6 review_told_differently",
        "<read>",
        """UPDATE ingest.documents SET review_status = 'approved'
            WHERE document_id = '<read>'""",
    ),
    "a content that was read for its copy too": Breakage(
        "I7 read_twice",
        None,
        """UPDATE ingest.document_events SET body = body || '{"cache_hit": false}'
            WHERE document_id = '<copy>' AND type = 'document.extracted'""",
    ),
    "a day of spending that does not add up": Breakage(
        "I7 spending_apart",
        "2020-02-29",
        """INSERT INTO extractor.spending (day, payer, spent)
           VALUES ('2020-02-29', '', 2), ('2020-02-29', 'somebody', 1)""",
    ),
}
