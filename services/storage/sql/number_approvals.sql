-- Give the next positions to approvals that have been committed and have none. The head is
-- held, so nobody else is numbering. Returns how many there were.
-- $1 limit
WITH fresh AS (
    SELECT document_id, version,
           row_number() OVER (ORDER BY approved_at, document_id, version) AS nth
      FROM approvals
     WHERE position IS NULL
     ORDER BY approved_at, document_id, version
     LIMIT $1
), numbered AS (
    UPDATE approvals a
       SET position = head.position + fresh.nth
      FROM fresh, approvals_head head
     WHERE a.document_id = fresh.document_id
       AND a.version = fresh.version
    RETURNING a.position
)
UPDATE approvals_head
   SET position = position + (SELECT count(*) FROM numbered)
RETURNING (SELECT count(*) FROM numbered);
