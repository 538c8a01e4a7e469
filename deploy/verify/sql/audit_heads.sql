-- Where each audit log ends.
SELECT 'ingest' AS home, seq, hash FROM ingest.audit_head
 UNION ALL SELECT 'monitor', seq, hash FROM monitor.audit_head
 UNION ALL SELECT 'review', seq, hash FROM review.audit_head
 UNION ALL SELECT 'storage', seq, hash FROM storage.audit_head;
