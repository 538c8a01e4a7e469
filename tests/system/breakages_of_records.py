"""What is written down of documents and deeds, broken by hand."""

from collections.abc import Mapping

from tests.system.breaking import LINE, Breakage

OF_RECORDS: Mapping[str, Breakage] = {
    "a locked value that was altered": Breakage(
        "I8 locked_fields_altered",
        "<corrected>",
        """UPDATE review.extracted_fields SET value = 'forged'
            WHERE document_id = '<corrected>' AND locked_by IS NOT NULL""",
    ),
    "a lock that was altered": Breakage(
        "I8 locks_that_were_altered",
        None,
        """UPDATE review.field_locks SET value = 'forged'
            WHERE sha256 = (SELECT sha256 FROM review.review_items
                             WHERE document_id = '<corrected>')""",
    ),
    "a trigger that was put off": Breakage(
        "I8 triggers_of_locks_off",
        "review.extracted_fields.a_locked_field_is_a_persons",
        "ALTER TABLE review.extracted_fields DISABLE TRIGGER a_locked_field_is_a_persons",
    ),
    "a line that was altered": Breakage(
        "I9 chains",
        "review.audit_log",
        """UPDATE review.audit_log
              SET entry = jsonb_set(entry::jsonb, '{reason}', '"forged"')::json
            WHERE seq = (SELECT max(seq) FROM review.audit_log)""",
    ),
    # The chain holds in all of these: it tells of lines, and not of deeds.
    "a reading anew without its line": Breakage(
        "I9 deeds_without_a_line",
        "<read>",
        "UPDATE ingest.documents SET reopened_at = now() WHERE document_id = '<read>'",
    ),
    "a change without its line": Breakage(
        "I9 deeds_without_a_line",
        "<corrected>",
        """UPDATE review.field_edits SET actor = 'nobody'
            WHERE document_id = '<corrected>'""",
    ),
    "a decision without its line": Breakage(
        "I9 deeds_without_a_line",
        "<read>",
        "UPDATE review.review_items SET revision = 1 WHERE document_id = '<read>'",
    ),
    "a decision with two lines": Breakage(
        "I9 deeds_without_a_line",
        "<read>",
        LINE.format(
            home="review",
            action="item_rejected",
            resource="review-item/<read>",
            after='{"version": 2}',
        ),
    ),
    "a cancellation without its line": Breakage(
        "I9 deeds_without_a_line",
        "<failed>",
        LINE.format(
            home="ingest",
            action="document_cancelled",
            resource="document/<other>",
            after="null",
        )
        + """UPDATE ingest.documents
                SET status = 'cancelled', completed_at = clock_timestamp()
              WHERE document_id = '<failed>';
             UPDATE ingest.document_events SET type = 'document.cancelled'
              WHERE document_id = '<failed>' AND type = 'document.failed';
             UPDATE monitor.documents_seen SET status = 'cancelled'
              WHERE document_id = '<failed>'""",
    ),
    "an archiving without its line": Breakage(
        "I9 deeds_without_a_line",
        "<letter>",
        """UPDATE monitor.dead_letters SET state = 'archived', settled_at = now()
            WHERE letter_id = '<letter>'""",
    ),
    "a purge without its line": Breakage(
        "I9 deeds_without_a_line",
        "<other>",
        """INSERT INTO monitor.operations
                  (operation_id, kind, state, selector, arrived_before, reason, requested_by,
                   request_key, request_digest, letters_max, rate_per_s, in_flight_max,
                   prepared, ended_at)
           VALUES ('<other>', 'purge', 'completed', '{}', now(), '', 'anna', '<other>', '', 1,
                   1, 1, true, now())""",
    ),
    "a replay that was written down twice": Breakage(
        "I9 deeds_without_a_line",
        None,
        """INSERT INTO monitor.replays
                  (replay_id, letter_id, queue, job_id, run, requested_by, reason, state,
                   outcome, settled_at)
           SELECT '<other>', letter_id, origin_queue, job_id, run + 1, 'anna', '', 'settled',
                  'refailed', now()
             FROM monitor.dead_letters
            WHERE letter_id = '<letter>';"""
        + 2
        * LINE.format(
            home="monitor",
            action="letter_replayed",
            resource="dead-letter/<letter>",
            after='{"replay_id": "<other>"}',
        ),
    ),
    "a right to change the audit": Breakage(
        "I9 audit_open_to_change",
        "review.audit_log",
        "GRANT UPDATE ON review.audit_log TO paperline_review",
    ),
    "a timeline with a gap": Breakage(
        "I9 timelines_with_gaps",
        "<read>",
        """DELETE FROM ingest.document_events
            WHERE document_id = '<read>' AND type = 'document.started';
           DELETE FROM monitor.document_facts
            WHERE document_id = '<read>' AND type = 'document.started'""",
    ),
    "a message that is owed": Breakage(
        "I10 outbox_unsent",
        "storage.outbox",
        """INSERT INTO storage.outbox (priority, exchange, routing_key, type, headers, body)
           VALUES (3, 'events', 'document.stored', 'document.stored', '{}', '{}')""",
    ),
    "a message that was parked": Breakage(
        "I10 parked",
        "ingest.outbox_parked",
        """INSERT INTO ingest.outbox_parked
                  (reason, priority, exchange, routing_key, type, headers, body)
           VALUES ('returned', 3, 'jobs', 'nobody.there', 'document.extract', '{}', '{}')""",
    ),
    "a fact that only one has heard": Breakage(
        "I10 heard_by_one",
        "<read>",
        """DELETE FROM monitor.document_facts
            WHERE document_id = '<read>' AND type = 'document.extracted'""",
    ),
    "a fact of a job that nobody has done": Breakage(
        "I10 told_without_a_commit",
        "<read>",
        """UPDATE monitor.document_facts SET cause_id = '<other>'
            WHERE document_id = '<read>' AND type = 'document.extracted'""",
    ),
    "a fact that was out before its commit": Breakage(
        "I10 told_without_a_commit",
        "<read>",
        """INSERT INTO ingest.document_events
           SELECT document_id, (SELECT max(seq) + 1 FROM ingest.document_events
                                 WHERE document_id = '<read>'), at, type, '<other>', body
             FROM ingest.document_events
            WHERE document_id = '<read>' AND type = 'document.extracted';
           INSERT INTO monitor.document_facts
           SELECT document_id, '<other>', type, run, said_at, heard_at, trace_id, cause_id,
                  detail
             FROM monitor.document_facts
            WHERE document_id = '<read>' AND type = 'document.extracted'""",
    ),
    "a letter without a home": Breakage(
        "I11 letters_without_a_home",
        "<letter>",
        """UPDATE monitor.dead_letters SET dead_queue = 'unroutable'
            WHERE letter_id = '<letter>'""",
    ),
    "a letter that is gone": Breakage(
        "I12 failed_without_a_letter",
        None,
        "DELETE FROM monitor.dead_letters WHERE letter_id = '<letter>'",
    ),
    "a letter that waits for no replay": Breakage(
        "I12 replays_without_an_end",
        "<letter>",
        """UPDATE monitor.dead_letters SET state = 'replaying', replay_id = '<other>'
            WHERE letter_id = '<letter>'""",
    ),
    "a letter that is gone while another was erased": Breakage(
        "I12 inbox_failed_without_a_letter",
        None,
        """DELETE FROM monitor.dead_letters WHERE letter_id = '<letter>';
           INSERT INTO monitor.letters_purged
                  (document_id, letter_id, origin_queue, job_id, run)
           VALUES ('<failed>', '<other>', 'extractor.extract', '<other>', 0)""",
    ),
    "a job that two replays have done": Breakage(
        "I12 replayed_twice",
        None,
        """INSERT INTO monitor.replays
                  (replay_id, letter_id, queue, job_id, run, requested_by, reason, state,
                   outcome, settled_at)
           SELECT id, letter_id, origin_queue, job_id, run + 1, 'anna', '', 'settled', 'done',
                  now()
             FROM monitor.dead_letters, unnest(ARRAY['<other>', '<read>']::uuid[]) AS ids(id)
            WHERE letter_id = '<letter>';"""
        + "".join(
            LINE.format(
                home="monitor",
                action="letter_replayed",
                resource="dead-letter/<letter>",
                after=f'{{"replay_id": "{one}"}}',
            )
            for one in ("<other>", "<read>")
        ),
    ),
    "an operation that does not add up": Breakage(
        "I12 operations_that_do_not_add_up",
        "<other>",
        """INSERT INTO monitor.operations
                  (operation_id, kind, state, selector, arrived_before, reason, requested_by,
                   request_key, request_digest, letters_max, rate_per_s, in_flight_max,
                   prepared, ended_at, applied)
           VALUES ('<other>', 'purge', 'completed', '{}', now(), '', 'anna', '<other>', '', 1,
                   1, 1, true, now(), 1);"""
        + LINE.format(
            home="monitor",
            action="purge_requested",
            resource="operation/<other>",
            after="null",
        ),
    ),
    "an item that went back": Breakage(
        "I14 versions_that_shrank",
        "<corrected>",
        "UPDATE review.review_items SET version = 0 WHERE document_id = '<corrected>'",
    ),
    "a failure that nobody sent back": Breakage(
        "I14 moved_back",
        "<read>",
        """UPDATE ingest.document_events
              SET type = 'document.failed', body = body || '{"reason": "expired"}'
            WHERE document_id = '<read>' AND type = 'document.started';
           UPDATE monitor.document_facts SET type = 'document.failed'
            WHERE document_id = '<read>' AND type = 'document.started'""",
    ),
    "an end that is still to come": Breakage(
        "I15 in_the_future",
        "<read>",
        """UPDATE ingest.documents SET completed_at = now() + interval '2 hours'
            WHERE document_id = '<read>'""",
    ),
    "a session that hangs": Breakage(
        "I16 sessions_that_hang",
        "paperline_ingest 1",
        """CREATE TEMPORARY TABLE pg_stat_activity AS
           SELECT * FROM pg_catalog.pg_stat_activity WHERE pid = pg_backend_pid();
           UPDATE pg_temp.pg_stat_activity
              SET usename = 'paperline_ingest', pid = 1, state = 'idle in transaction',
                  application_name = 'ingest', state_change = now() - interval '1 hour';
           SET LOCAL search_path = pg_temp, pg_catalog, public""",
    ),
    "a letter that tells the key": Breakage(
        "I18 leaks",
        "<letter>",
        """UPDATE monitor.dead_letters SET message = 'denied for <key>'
            WHERE letter_id = '<letter>'""",
    ),
}
