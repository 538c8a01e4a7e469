-- One delivery for each endpoint that wants to be told of it. What was told before is not told
-- again, however often its fact comes.
-- $1 owner_ids  $2 events  $3 fact_ids  $4 bodies
INSERT INTO webhook_deliveries (delivery_id, webhook_id, event, fact_id, body)
SELECT gen_random_uuid(), w.webhook_id, n.event, n.fact_id, n.body
  FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[])
       AS n(owner_id, event, fact_id, body)
  JOIN webhooks w
    ON w.owner_id = n.owner_id
   AND w.deleted_at IS NULL
 WHERE w.enabled
   AND n.event = ANY (w.events)
    ON CONFLICT ON CONSTRAINT a_fact_is_told_to_an_endpoint_once DO NOTHING;
