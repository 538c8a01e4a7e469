-- Continue the timelines. The rows of these documents are locked by now, which is why the next
-- number can be computed; a fact that came before is not told again, one of a document that
-- nobody knows is told to nobody, and of a deleted one only that it was deleted.
-- $1 document_ids  $2 fact_ids  $3 types  $4 bodies
WITH fresh AS (
    SELECT f.*
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY
           AS f(document_id, fact_id, type, body, position)
      JOIN documents d USING (document_id)
     WHERE (d.status <> 'deleted' OR f.type = 'document.deleted')
       AND NOT EXISTS (
            SELECT
              FROM document_events e
             WHERE e.document_id = f.document_id
               AND e.fact_id = f.fact_id))
INSERT INTO document_events (document_id, seq, type, fact_id, body)
SELECT document_id,
       (SELECT coalesce(max(e.seq), 0) FROM document_events e WHERE e.document_id = f.document_id)
       + row_number() OVER (PARTITION BY document_id ORDER BY position),
       type, fact_id, body::jsonb
  FROM fresh f;
