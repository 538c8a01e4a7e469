-- Deeds, and how many lines of the audit log tell of each: exactly one does. A line is written in
-- the commit of its deed, or one of them is a lie.
-- $1 limit
WITH asked AS (
    SELECT operation_id, 'operation/' || operation_id AS resource,
           kind || '_requested' AS action, requested_by AS actor, version::text AS mark
      FROM monitor.operations),
-- Cancelling was not written down always.
since AS (
    SELECT min(at) AS at FROM ingest.audit_log WHERE action = 'document_cancelled'),
told AS (
    SELECT d.document_id::text AS subject, 'document_deleted' AS deed, d.revision::text AS mark,
           (SELECT count(*)
              FROM ingest.audit_log a
             WHERE a.resource = 'document/' || d.document_id
               AND a.action = 'document_deleted') AS lines, 1 AS due
      FROM ingest.documents d
     WHERE d.status = 'deleted'
     UNION ALL
    SELECT d.document_id::text, 'document_cancelled', d.revision::text,
           (SELECT count(*)
              FROM ingest.audit_log a
             WHERE a.resource = 'document/' || d.document_id
               AND a.action = 'document_cancelled'), 1
      FROM ingest.documents d
     WHERE d.status = 'cancelled'
       AND d.completed_at >= (SELECT at FROM since)
     UNION ALL
    -- Each reading anew has a run of its own; of the ones before, only the lines remember.
    SELECT d.document_id::text, 'document_reprocessed', d.revision::text, 0, 1
      FROM ingest.documents d
     WHERE d.reopened_at IS NOT NULL
       AND NOT EXISTS (
            SELECT
              FROM ingest.audit_log a
             WHERE a.resource = 'document/' || d.document_id
               AND a.action = 'document_reprocessed')
     UNION ALL
    SELECT d.document_id::text, 'document_put_on_hold', d.revision::text, 0, 1
      FROM ingest.documents d
     WHERE d.hold_since IS NOT NULL
       AND (SELECT a.action
              FROM ingest.audit_log a
             WHERE a.resource = 'document/' || d.document_id
               AND a.action IN ('document_put_on_hold', 'hold_lifted')
             ORDER BY a.seq DESC
             LIMIT 1) IS DISTINCT FROM 'document_put_on_hold'
     UNION ALL
    SELECT b.batch_id::text, 'batch_deleted', b.revision::text,
           (SELECT count(*)
              FROM ingest.audit_log a
             WHERE a.resource = 'batch/' || b.batch_id
               AND a.action = 'batch_deleted'), 1
      FROM ingest.batches b
     WHERE b.deleted_at IS NOT NULL
     UNION ALL
    -- Decisions are counted for each reading.
    SELECT i.document_id::text, 'a decision', i.version::text,
           d.lines, i.revision
      FROM review.review_items i
     CROSS JOIN LATERAL (
            SELECT count(*) AS lines
              FROM review.audit_log a
             WHERE a.resource = 'review-item/' || i.document_id
               AND a.action IN ('item_approved', 'item_corrected', 'item_rejected')
               AND a.seq > coalesce((SELECT max(r.seq)
                                       FROM review.audit_log r
                                      WHERE r.resource = a.resource
                                        AND r.action = 'item_reread'), 0)) AS d
     UNION ALL
    -- Who decided is who stands there.
    SELECT i.document_id::text, 'item_' || i.status || ' by ' || i.decided_by, i.version::text,
           (SELECT count(*)
              FROM review.audit_log a
             WHERE a.resource = 'review-item/' || i.document_id
               AND a.action = 'item_' || i.status
               AND a.actor = i.decided_by
               AND a.entry -> 'after' ->> 'version' = i.version::text), 1
      FROM review.review_items i
     WHERE i.status IN ('approved', 'corrected', 'rejected')
     UNION ALL
    SELECT i.document_id::text, 'item_withdrawn', i.version::text,
           (SELECT count(*)
              FROM review.audit_log a
             WHERE a.resource = 'review-item/' || i.document_id
               AND a.action = 'item_withdrawn'), 1
      FROM review.review_items i
     WHERE i.status = 'withdrawn'
     UNION ALL
    -- One change has as many lines as fields that were changed.
    SELECT e.document_id::text, 'a change at version ' || e.version || ' by ' || e.actor,
           e.version::text, 0, 1
      FROM review.field_edits e
     WHERE NOT EXISTS (
            SELECT
              FROM review.audit_log a
             WHERE a.resource = 'review-item/' || e.document_id
               AND a.actor = e.actor
               AND a.entry -> 'after' ->> 'version' = e.version::text)
     UNION ALL
    SELECT r.letter_id::text, 'a replay by ' || r.requested_by, r.replay_id::text,
           (SELECT count(*)
              FROM monitor.audit_log a
             WHERE a.resource = 'dead-letter/' || r.letter_id
               AND (a.action = 'letter_replayed'
                    AND a.entry -> 'after' ->> 'replay_id' = r.replay_id::text
                    OR a.action = 'letter_edited'
                    AND a.entry -> 'after' ->> 'job_id' = r.job_id::text))
           + (SELECT count(*)
                FROM monitor.operation_items i
                JOIN asked o USING (operation_id)
                JOIN monitor.audit_log a ON a.resource = o.resource AND a.action = o.action
               WHERE i.replay_id = r.replay_id), 1
      FROM monitor.replays r
     UNION ALL
    -- Archiving and purging are done by operations, and so is each replay of many.
    SELECT o.operation_id::text, o.action || ' by ' || o.actor, o.mark,
           (SELECT count(*)
              FROM monitor.audit_log a
             WHERE a.resource = o.resource
               AND a.action = o.action
               AND a.actor = o.actor), 1
      FROM asked o
     UNION ALL
    SELECT l.letter_id::text, 'an archiving', l.version::text, 0, 1
      FROM monitor.dead_letters l
     WHERE l.state = 'archived'
       AND NOT EXISTS (
            SELECT
              FROM monitor.operation_items i
              JOIN monitor.operations o USING (operation_id)
             WHERE i.letter_id = l.letter_id
               AND i.outcome = 'applied'
               AND o.kind = 'archive')
     UNION ALL
    -- What cannot happen twice is not told twice: every deed upon an item raises its version,
    -- every reading anew the run, and a letter is erased once.
    SELECT a.resource, a.action, '', count(*), 1
      FROM (SELECT resource, action, entry ->> 'actor' AS actor, entry::text AS said
              FROM review.audit_log
             WHERE entry -> 'after' ->> 'version' IS NOT NULL
               AND starts_with(resource, 'review-item/')
             UNION ALL
            SELECT resource, action, '', entry -> 'after' ->> 'run'
              FROM ingest.audit_log
             WHERE action = 'document_reprocessed'
             UNION ALL
            SELECT resource, action, '', ''
              FROM ingest.audit_log
             WHERE action IN ('document_split', 'document_cancelled', 'document_deleted')
             UNION ALL
            SELECT resource, action, '', ''
              FROM monitor.audit_log
             WHERE action = 'letter_erased') AS a
     GROUP BY a.resource, a.action, a.actor, a.said
    HAVING count(*) > 1)
SELECT subject,
       deed || CASE WHEN lines = 0 THEN ' is not in the audit log'
                    ELSE ' stands in the audit log ' || lines || ' times, not ' || due END
           AS detail,
       mark
  FROM told
 WHERE lines <> due
 ORDER BY subject, deed
 LIMIT $1;
