-- The values of an earlier reading, in whose place those of the new one are kept; those that a
-- person locked stay.
-- $1 document_ids
DELETE FROM extracted_fields field
 USING review_items item
 WHERE field.document_id = ANY($1::uuid[])
   AND item.document_id = field.document_id
   AND NOT EXISTS (
        SELECT
          FROM field_locks held
         WHERE held.owner_id = item.owner_id
           AND held.sha256 = item.sha256
           AND held.path = field.path);
