-- One export of an owner.
-- $1 export_id  $2 owner_id
SELECT *
  FROM exports
 WHERE export_id = $1
   AND owner_id = $2;
