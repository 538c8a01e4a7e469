-- These documents have ended, or nobody wants them any more.
-- $1 document_ids
DELETE FROM own_readings
 WHERE document_id = ANY ($1::uuid[]);
