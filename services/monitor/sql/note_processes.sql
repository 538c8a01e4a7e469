-- What processes last told of themselves, by the time at which they said it.
-- $1 reports
INSERT INTO processes_seen (
       process_id, service, build, door, queues, started_at, outbox_unsent,
       outbox_oldest_age_s, outbox_parked, conditions, said_at)
SELECT process_id, service, build, door, queues, started_at, outbox_unsent,
       outbox_oldest_age_s, outbox_parked, conditions, said_at
  FROM jsonb_to_recordset($1::jsonb) AS report (
       process_id uuid, service text, build text, door text, queues text[],
       started_at timestamptz, outbox_unsent integer, outbox_oldest_age_s double precision,
       outbox_parked integer, conditions jsonb, said_at timestamptz)
 ORDER BY process_id
    ON CONFLICT (process_id) DO UPDATE
   SET outbox_unsent = excluded.outbox_unsent,
       outbox_oldest_age_s = excluded.outbox_oldest_age_s,
       outbox_parked = excluded.outbox_parked,
       conditions = excluded.conditions,
       queues = excluded.queues,
       said_at = excluded.said_at
 WHERE processes_seen.said_at < excluded.said_at;
