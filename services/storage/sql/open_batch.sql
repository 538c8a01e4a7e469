-- A batch and what is in it. A version that the consumer has been given before is refused by
-- the database itself.
-- $1 batch_id  $2 consumer_id  $3 positions  $4 document_ids  $5 versions  $6 sha256
WITH batch AS (
    INSERT INTO handover_batches (batch_id, consumer_id, last_position, count, sha256)
    SELECT $1, $2, max(position), count(*), $6
      FROM unnest($3::bigint[]) AS given (position)
    RETURNING *
), items AS (
    INSERT INTO handover_items (batch_id, consumer_id, position, document_id, version)
    SELECT batch.batch_id, batch.consumer_id, given.position, given.document_id, given.version
      FROM batch, unnest($3::bigint[], $4::uuid[], $5::int[])
           AS given (position, document_id, version)
)
SELECT * FROM batch;
