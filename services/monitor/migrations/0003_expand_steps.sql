-- An operation is stepped when it is due. One whose steps fail waits longer each time and says
-- why, and one that waits for its replays costs nothing; neither keeps another from its turn.
ALTER TABLE operations
    ADD COLUMN next_step_at timestamptz NOT NULL DEFAULT now(),
    -- In a row; the last of them is told of.
    ADD COLUMN failures integer NOT NULL DEFAULT 0,
    ADD COLUMN error text,
    ADD COLUMN error_at timestamptz,
    -- A key speaks for a day, and may be used again then. Who asks takes turns, so two of one
    -- day cannot meet.
    DROP CONSTRAINT a_key_asks_for_one_operation;
CREATE INDEX ix_operations_due ON operations (next_step_at)
 WHERE state IN ('preparing', 'running');
CREATE INDEX ix_operations_key ON operations (requested_by, request_key, requested_at DESC);

-- Ten thousand ids have no place in what is read at each step and shown in each view: there
-- they are a count and a digest.
CREATE TABLE operation_ids (
    operation_id  uuid PRIMARY KEY REFERENCES operations ON DELETE CASCADE,
    letter_ids    uuid[] NOT NULL
);
INSERT INTO operation_ids (operation_id, letter_ids)
SELECT operation_id, translate(selector->>'ids', '[]', '{}')::uuid[]
  FROM operations
 WHERE jsonb_typeof(selector->'ids') = 'array';
UPDATE operations AS o
   SET selector = jsonb_set(o.selector, '{ids}', jsonb_build_object(
           'count', cardinality(i.letter_ids),
           'digest', (SELECT encode(sha256(string_agg(one::text, ',' ORDER BY one)::bytea), 'hex')
                        FROM unnest(i.letter_ids) AS one)))
  FROM operation_ids AS i
 WHERE i.operation_id = o.operation_id;

-- A mended letter knows how its new job ended: until then it cannot be purged.
UPDATE dead_letters AS l
   SET outcome = r.outcome
  FROM replays AS r
 WHERE l.state = 'superseded'
   AND r.replay_id = l.replay_id
   AND r.state = 'settled';
