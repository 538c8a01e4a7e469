-- Hold back everything that would be sent, of all services, until our session ends, however it
-- ends. What is being published this moment is waited for. A relay asks for the same lock in
-- shared/ledger/sql/claim_outbox.sql.
SELECT pg_advisory_lock(hashtextextended('paperline.sending', 0));
