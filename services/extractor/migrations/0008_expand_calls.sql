-- What a document asks of the database one after the other is asked in one call: each round trip
-- costs the extractor and the database more than what it asks. What stands inside one after the
-- other has to, since each statement sees what was committed before it began.

-- The answer there is, or else the right to find one, or else what stands in the way.
CREATE FUNCTION begin_reading(
    -- The content, and for how long an answer to it is good.
    of_owner text, of_sha256 text, of_config text, ttl_s double precision,
    -- Who would read it. Wanted anew, only his own answer of an earlier try is good enough, and
    -- so it is for one that was read while an engine was away, unless those serve others too.
    for_document uuid, for_job uuid, for_run integer, new_token uuid, lease_s double precision,
    is_forced boolean, degraded_serves boolean,
    OUT is_withdrawn boolean,
    OUT answer_document uuid, OUT answer_key text, OUT answer_job uuid, OUT is_degraded boolean,
    -- Null when the lease was not had; true when its holder had died.
    OUT was_taken_over boolean,
    OUT holder_document uuid, OUT holder_job uuid, OUT left_s double precision,
    OUT refusal_reason text, OUT refusal_detail text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    is_withdrawn := EXISTS (SELECT FROM withdrawn WHERE document_id = for_document);
    IF is_withdrawn THEN
        RETURN;
    END IF;
    FOR look IN 1..2 LOOP
        -- The same content of the same owner, read in the same way not too long ago: no engine
        -- is asked. Looked for again with the lease in hand: who kept an answer and gave the
        -- lease up after the first look has committed by now.
        SELECT document_id, extraction_key, job_id, degraded
          INTO answer_document, answer_key, answer_job, is_degraded
          FROM processed_documents
         WHERE owner_id = of_owner
           AND sha256 = of_sha256
           AND config = of_config
           AND kept_at + make_interval(secs => begin_reading.ttl_s) > clock_timestamp()
           AND (job_id IS NOT DISTINCT FROM for_job
                OR NOT (is_forced OR degraded AND NOT begin_reading.degraded_serves));
        IF answer_document IS NOT NULL OR look = 2 THEN
            EXIT;
        END IF;

        -- Take the lease, unless somebody holds it. One that ran out is anybody's; a refusal
        -- stands for all runs up to its own, so that a replay asks anew. Not now(): this may
        -- have waited for a transaction that began later.
        INSERT INTO leases AS held
               (owner_id, sha256, config, token, document_id, job_id, run, held_until)
        VALUES (of_owner, of_sha256, of_config, new_token, for_document, for_job, for_run,
                clock_timestamp() + make_interval(secs => begin_reading.lease_s))
            ON CONFLICT (owner_id, sha256, config) DO UPDATE
           SET token = excluded.token,
               document_id = excluded.document_id,
               job_id = excluded.job_id,
               run = excluded.run,
               held_until = clock_timestamp() + make_interval(secs => begin_reading.lease_s),
               taken_over = held.refused_for IS NULL,
               refused_for = NULL,
               refused_detail = NULL
         WHERE held.held_until <= clock_timestamp()
            OR held.refused_for IS NOT NULL AND held.run < excluded.run
        RETURNING held.taken_over INTO was_taken_over;
        IF NOT FOUND THEN
            SELECT document_id, job_id, refused_for, refused_detail,
                   greatest(extract(epoch FROM held_until - clock_timestamp()), 0)
              INTO holder_document, holder_job, refusal_reason, refusal_detail, left_s
              FROM leases
             WHERE owner_id = of_owner
               AND sha256 = of_sha256
               AND config = of_config;
            RETURN;
        END IF;
    END LOOP;
    IF answer_document IS NOT NULL AND was_taken_over IS NOT NULL THEN
        DELETE FROM leases
         WHERE owner_id = of_owner
           AND sha256 = of_sha256
           AND config = of_config
           AND token = new_token;
    END IF;
END
$$;

-- What a document tells of its issuer, by whatever name. Read anew, it tells it anew; what a
-- person decided gives way to a later decision only.
CREATE FUNCTION note_vendor(
    of_document uuid, of_owner text, what_was_seen jsonb, identities text[],
    with_weight smallint, at_version integer)
RETURNS void
LANGUAGE sql AS $$
WITH noted AS (
    INSERT INTO vendor_sightings AS known (document_id, owner_id, seen, decided_version)
    VALUES (of_document, of_owner, what_was_seen, at_version)
        ON CONFLICT (document_id) DO UPDATE
       SET seen = excluded.seen,
           decided_version = excluded.decided_version
     WHERE known.decided_version = 0
        OR known.decided_version < excluded.decided_version
    RETURNING document_id, owner_id, seen_at
), gone AS (
    DELETE FROM vendor_identities AS before
     USING noted
     WHERE before.document_id = noted.document_id
       AND before.identity <> ALL (identities)
)
INSERT INTO vendor_identities (document_id, identity, owner_id, weight, seen_at)
SELECT noted.document_id, identity, noted.owner_id, with_weight, noted.seen_at
  FROM noted, unnest(identities) AS identity
    ON CONFLICT (document_id, identity) DO UPDATE
   SET weight = excluded.weight;
$$;

-- The same, when it is this document's turn and unless it is withdrawn by then. Whoever keeps
-- something of a document and whoever withdraws it take turns until their commit: a look alone
-- would miss a withdrawal that is at work, and has erased already.
CREATE FUNCTION note_unless_withdrawn(
    of_document uuid, of_owner text, what_was_seen jsonb, identities text[],
    with_weight smallint, OUT is_noted boolean)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('extractor.' || of_document::text, 0));
    is_noted := NOT EXISTS (SELECT FROM withdrawn WHERE document_id = of_document);
    IF is_noted AND what_was_seen IS NOT NULL THEN
        PERFORM note_vendor(of_document, of_owner, what_was_seen, identities, with_weight, 0);
    END IF;
END
$$;
