-- The timeline of a deleted document told names and amounts. That it was deleted stays.
-- $1 document_id
DELETE FROM document_events
 WHERE document_id = $1::uuid
   AND type <> 'document.deleted';
