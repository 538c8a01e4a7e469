-- A batch and its members, however many.
-- $1 batch_id  $2 owner_id  $3 created_at  $4 rejected, as JSON  $5 document_ids  $6 positions
WITH batch AS (
    INSERT INTO batches (batch_id, owner_id, created_at, rejected)
    VALUES ($1::uuid, $2::text, $3::timestamptz, $4::text::jsonb))
INSERT INTO batch_members (document_id, batch_id, position)
SELECT m.document_id, $1::uuid, m.position
  FROM unnest($5::uuid[], $6::integer[]) AS m(document_id, position);
