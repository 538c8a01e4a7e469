-- A tombstone goes when nothing is left of what its endpoint was told; not at once, because
-- facts that were being written down at that moment may have known it.
DELETE FROM webhooks w
 WHERE w.deleted_at < now() - interval '1 day'
   AND NOT EXISTS (
        SELECT
          FROM webhook_deliveries d
         WHERE d.webhook_id = w.webhook_id);
