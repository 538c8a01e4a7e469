-- Which of these documents anybody has ever heard of.
-- $1 document_ids
SELECT document_id FROM monitor.documents_seen WHERE document_id = ANY ($1::uuid[])
 UNION SELECT document_id FROM ingest.document_events WHERE document_id = ANY ($1::uuid[])
 UNION SELECT document_id FROM storage.stored_results WHERE document_id = ANY ($1::uuid[])
 UNION SELECT document_id FROM review.review_items WHERE document_id = ANY ($1::uuid[]);
