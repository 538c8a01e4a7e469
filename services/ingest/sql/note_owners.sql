-- Who was served last within each priority.
-- $1 priorities  $2 owner_ids
INSERT INTO rotation (priority, owner_id)
SELECT * FROM unnest($1::smallint[], $2::text[])
    ON CONFLICT (priority) DO UPDATE
   SET owner_id = excluded.owner_id;
