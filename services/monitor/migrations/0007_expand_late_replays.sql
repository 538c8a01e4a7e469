-- Whether the mark of a job that is done would still be there: it is kept from the time inside the
-- job's id on, and of an id that holds none from when it was written. Once it is gone, a replay
-- of what is done could do it again.
CREATE FUNCTION may_be_replayed(job_id uuid, arrived_at timestamptz, days integer)
RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT arrived_at > now() - make_interval(days => days)
       AND (substr(job_id::text, 15, 1) <> '7'
            OR ('x' || left(replace(job_id::text, '-', ''), 12))::bit(48)::bigint
               > extract(epoch FROM now() - make_interval(days => days)) * 1000)
$$;

-- What is settled goes in its time.
CREATE INDEX ix_dead_letters_settled ON dead_letters (settled_at)
 WHERE state IN ('resolved', 'refailed', 'archived', 'superseded');
CREATE INDEX ix_letters_purged_at ON letters_purged (purged_at);

-- What nobody gave a fingerprint could not be taken together, commented on or sent back as one.
UPDATE dead_letters
   SET fingerprint = left(encode(sha256(convert_to(
           concat_ws(E'\n', dead_queue, reason, exception, ''), 'UTF8')), 'hex'), 16)
 WHERE fingerprint = '';

-- Read backwards, the index of arrivals is the same; each change of a letter wrote into both.
DROP INDEX ix_dead_letters_in_order;

-- What was begun while something else waited, by the time at which it was heard.
CREATE INDEX ix_document_facts_started ON document_facts (heard_at)
 WHERE type = 'document.started';
