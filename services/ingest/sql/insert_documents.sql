-- A thousand documents are one insert, each with the first event of its timeline. Who has to
-- wait for the broker was decided just before. Told are those of their contents that were
-- erased at some time; from now on somebody has them again.
-- $1 document_ids  $2 accepted_ids  $3 accepted_ats  $4 owner_ids  $5 priorities  $6 filenames
-- $7 media_types  $8 sha256s  $9 sizes_bytes  $10 content_keys  $11 event_bodies
-- $12 tags, as JSON  $13 metadata  $14 due_ats
WITH given AS (
    SELECT *
      FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::smallint[],
                  $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[], $11::text[],
                  $12::text[], $13::text[], $14::timestamptz[])
           AS g(document_id, accepted_id, accepted_at, owner_id, priority, filename,
                media_type, sha256, size_bytes, content_key, body, tags, metadata, due_at)),
kept AS (
    INSERT INTO documents (document_id, owner_id, created_at, updated_at, status, rank, stage,
                           released_at, told_rank, told_fact_id, priority, filename, media_type,
                           sha256, size_bytes, content_key, tags, metadata, due_at)
    SELECT document_id, owner_id, accepted_at, accepted_at, 'queued', 10,
           CASE WHEN waits THEN 'held' ELSE 'queued' END,
           CASE WHEN waits THEN NULL ELSE now() END,
           10, accepted_id, priority, filename, media_type, sha256,
           size_bytes, content_key,
           ARRAY(SELECT jsonb_array_elements_text(tags::jsonb)), metadata::jsonb, due_at
      FROM given
     CROSS JOIN LATERAL (
            SELECT EXISTS (SELECT FROM waiting w WHERE w.document_id = given.document_id)
                   AS waits) AS w),
told AS (
    INSERT INTO document_events (document_id, seq, at, type, fact_id, body)
    SELECT document_id, 1, accepted_at, 'document.accepted', accepted_id, body::jsonb
      FROM given)
DELETE FROM erased_contents
 WHERE content_key = ANY ($10::text[])
RETURNING content_key;
