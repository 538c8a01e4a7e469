-- What was erased by those who knew neither index nor days: it is forgotten here too, and its
-- day has to be written down without it.
-- $1 limit
WITH erased AS (
    SELECT i.document_id
      FROM result_index i
     WHERE NOT EXISTS (SELECT FROM outputs o WHERE o.document_id = i.document_id)
     LIMIT $1
       FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM result_index i
     USING erased
     WHERE i.document_id = erased.document_id
    RETURNING i.document_id, i.accepted_at
), told AS (
    UPDATE approvals a
       SET erased_at = coalesce(a.erased_at, now())
      FROM gone
     WHERE a.document_id = gone.document_id
), changed AS (
    INSERT INTO day_changes (day, erased)
    SELECT DISTINCT (accepted_at AT TIME ZONE 'UTC')::date, true
      FROM gone
)
SELECT document_id
  FROM gone;
