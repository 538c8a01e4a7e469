-- A thousand documents are one insert, each with the first event of its timeline.
-- $1 document_ids  $2 accepted_ids  $3 accepted_ats  $4 owner_ids  $5 priorities  $6 filenames
-- $7 media_types  $8 sha256s  $9 sizes_bytes  $10 content_keys  $11 event_bodies
WITH given AS (
    SELECT *
      FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::smallint[],
                  $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[], $11::text[])
           AS g(document_id, accepted_id, accepted_at, owner_id, priority, filename,
                media_type, sha256, size_bytes, content_key, body)),
kept AS (
    INSERT INTO documents (document_id, owner_id, created_at, updated_at, status, rank, stage,
                           told_rank, told_fact_id, priority, filename, media_type, sha256,
                           size_bytes, content_key)
    SELECT document_id, owner_id, accepted_at, accepted_at, 'queued', 10, 'queued',
           10, accepted_id, priority, filename, media_type, sha256,
           size_bytes, content_key
      FROM given)
INSERT INTO document_events (document_id, seq, at, type, fact_id, body)
SELECT document_id, 1, accepted_at, 'document.accepted', accepted_id, body::jsonb
  FROM given;
