-- Deeds that no line of the audit log tells of: decisions, corrections, deletions, readings anew,
-- replays. A line is written in the commit of its deed, or one of them is a lie.
-- $1 limit
SELECT d.subject, d.deed || ' by ' || d.actor || ' is not in the audit log' AS detail, d.mark
  FROM (SELECT i.document_id::text AS subject, 'item_' || i.status AS deed,
               i.decided_by AS actor, i.version::text AS mark
          FROM review.review_items i
         WHERE i.status IN ('approved', 'corrected', 'rejected')
           AND NOT EXISTS (
                SELECT
                  FROM review.audit_log a
                 WHERE a.resource = 'review-item/' || i.document_id
                   AND a.action = 'item_' || i.status
                   AND a.actor = i.decided_by)
         UNION ALL
        SELECT e.document_id::text, 'a change at version ' || e.version, e.actor,
               e.version::text
          FROM review.field_edits e
         WHERE NOT EXISTS (
                SELECT
                  FROM review.audit_log a
                 WHERE a.resource = 'review-item/' || e.document_id
                   AND a.actor = e.actor
                   AND a.entry -> 'after' ->> 'version' = e.version::text)
         UNION ALL
        SELECT d.document_id::text, 'document_deleted', 'somebody', d.revision::text
          FROM ingest.documents d
         WHERE d.status = 'deleted'
           AND NOT EXISTS (
                SELECT
                  FROM ingest.audit_log a
                 WHERE a.resource = 'document/' || d.document_id
                   AND a.action = 'document_deleted')
         UNION ALL
        SELECT d.document_id::text, 'document_reprocessed', 'somebody', d.revision::text
          FROM ingest.documents d
         WHERE d.reopened_at IS NOT NULL
           AND NOT EXISTS (
                SELECT
                  FROM ingest.audit_log a
                 WHERE a.resource = 'document/' || d.document_id
                   AND a.action = 'document_reprocessed')
         UNION ALL
        SELECT r.letter_id::text, 'a replay', r.requested_by, r.replay_id::text
          FROM monitor.replays r
         WHERE NOT EXISTS (
                SELECT
                  FROM monitor.audit_log a
                 WHERE a.resource = 'dead-letter/' || r.letter_id)
           AND NOT EXISTS (
                SELECT
                  FROM monitor.operation_items o
                  JOIN monitor.audit_log a ON a.resource = 'operation/' || o.operation_id
                 WHERE o.replay_id = r.replay_id)
       ) AS d
 ORDER BY d.subject, d.deed
 LIMIT $1;
