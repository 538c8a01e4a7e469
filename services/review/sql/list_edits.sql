-- What was changed since this version, and by whom.
-- $1 document_id  $2 after
SELECT version, actor, at, changes
  FROM field_edits
 WHERE document_id = $1
   AND version > $2
 ORDER BY version;
