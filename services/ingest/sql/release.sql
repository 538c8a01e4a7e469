-- Give places to documents that waited, and what their orders need to know. The rows are
-- locked in key order, as those of facts are; what ended meanwhile is not released.
-- $1 document_ids
WITH locked AS (
    SELECT document_id, status, rank, told_rank
      FROM documents
     WHERE document_id = ANY ($1::uuid[])
     ORDER BY document_id
       FOR UPDATE),
gone AS (
    -- Through the locked rows, so that these are locked first: whoever ends a document takes
    -- its row before its place.
    DELETE FROM waiting w
     USING locked l
     WHERE w.document_id = l.document_id
    RETURNING w.document_id, w.traceparent),
released AS (
    SELECT g.document_id, g.traceparent, l.told_rank
      FROM gone g
      JOIN locked l USING (document_id)
     WHERE l.status = 'queued'),
placed AS (
    INSERT INTO places (document_id)
    SELECT document_id FROM released)
UPDATE documents d
   SET stage = CASE WHEN r.told_rank = 10 THEN 'queued' ELSE d.stage END,
       released_at = now(),
       updated_at = now(),
       revision = d.revision + 1
  FROM released r
 WHERE d.document_id = r.document_id
RETURNING d.document_id, d.owner_id, d.created_at AS accepted_at, d.priority, d.content_key,
          d.sha256, d.size_bytes, d.media_type, d.filename, d.run, r.traceparent, d.forced,
          d.replaces_version, d.due_at, d.wanted_engine;
