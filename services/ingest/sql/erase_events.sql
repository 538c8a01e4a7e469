-- The timelines of deleted documents told names and amounts. That they were deleted stays.
-- $1 document_ids
DELETE FROM document_events
 WHERE document_id = ANY ($1::uuid[])
   AND type <> 'document.deleted';
