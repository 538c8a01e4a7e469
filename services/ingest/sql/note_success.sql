-- An endpoint that answers has not failed; most have not, and nothing is written.
-- $1 webhook_id
UPDATE webhooks
   SET failures = 0,
       failing_since = NULL
 WHERE webhook_id = $1::uuid
   AND failures > 0;
