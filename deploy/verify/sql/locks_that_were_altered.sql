-- Locks whose value is not what the person last said of that content: what each person changed is
-- written down edit by edit, and the lock must be the last of them.
-- $1 limit
SELECT l.owner_id || ' ' || l.sha256 || ' ' || l.path AS subject,
       'the lock of ' || l.locked_by || ' does not hold what was last entered' AS detail,
       l.locked_at::text AS mark
  FROM review.field_locks l
 CROSS JOIN LATERAL (
        SELECT c.change ->> 'after' AS after, e.at
          FROM review.review_items i
          JOIN review.field_edits e USING (document_id)
         CROSS JOIN LATERAL jsonb_array_elements(e.changes) AS c(change)
         WHERE i.owner_id = l.owner_id
           AND i.sha256 = l.sha256
           AND c.change ->> 'path' = l.path
         ORDER BY e.at DESC, e.version DESC
         LIMIT 1) AS said
 -- Confirmed as it stood: nothing was changed then.
 WHERE l.locked_at <= said.at
   AND l.value IS DISTINCT FROM said.after
 ORDER BY subject
 LIMIT $1;
