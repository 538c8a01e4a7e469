-- Fields that bear a person's name and a value that no person ever saw there: neither the lock of
-- their content says it, nor did it stand before or after any edit of the same content.
-- $1 limit
SELECT f.document_id::text AS subject,
       f.path || ' is held by ' || f.locked_by || ', and its value is nobody''s' AS detail,
       f.path || ' ' || i.version AS mark
  FROM review.extracted_fields f
  JOIN review.review_items i USING (document_id)
  LEFT JOIN review.field_locks l
    ON l.owner_id = i.owner_id AND l.sha256 = i.sha256 AND l.path = f.path
 WHERE f.locked_by IS NOT NULL
   AND (l.path IS NULL OR f.value IS DISTINCT FROM l.value)
   AND NOT EXISTS (
        SELECT
          FROM review.review_items same
          JOIN review.field_edits e ON e.document_id = same.document_id
         CROSS JOIN LATERAL jsonb_array_elements(e.changes) AS c(change)
         WHERE same.owner_id = i.owner_id
           AND same.sha256 = i.sha256
           AND c.change ->> 'path' = f.path
           AND (f.value IS NOT DISTINCT FROM c.change ->> 'after'
                OR f.value IS NOT DISTINCT FROM c.change ->> 'before'))
 ORDER BY subject, f.path
 LIMIT $1;
