-- What people said of a content goes with the last document that had it.
-- $1 owner_ids  $2 sha256s
DELETE FROM field_locks held
 USING unnest($1::text[], $2::text[]) AS content (owner_id, sha256)
 WHERE held.owner_id = content.owner_id
   AND held.sha256 = content.sha256
   AND NOT EXISTS (
        SELECT
          FROM review_items item
         WHERE item.owner_id = held.owner_id
           AND item.sha256 = held.sha256);
