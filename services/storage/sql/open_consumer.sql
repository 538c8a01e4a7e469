-- A consumer under a new name; nothing comes back when the name is taken. It begins with
-- everything there is, or behind what has a position by now.
-- $1 consumer_id  $2 owner_id  $3 name  $4 of_owner  $5 from_now
INSERT INTO consumers (consumer_id, owner_id, name, of_owner, position)
SELECT $1, $2, $3, $4, CASE WHEN $5 THEN head.position ELSE 0 END
  FROM approvals_head head
    ON CONFLICT (owner_id, name) DO NOTHING
RETURNING *;
