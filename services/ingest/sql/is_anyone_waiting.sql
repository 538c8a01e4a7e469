-- A glance without a lock: most of the time there is nothing to release.
SELECT EXISTS (SELECT FROM waiting WHERE ready ORDER BY accepted_at, document_id LIMIT 1);
