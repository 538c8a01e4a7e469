-- A batch of facts is one call, and mostly a commit of its own: the transaction around two
-- statements cost as many round trips as they did. What stands inside comes one after the other,
-- since the timeline's numbers have to be read under the locks.

-- Continue the timelines. The rows of these documents are locked by now, which is why the next
-- number can be computed; a fact that came before is not told again, one of a document that
-- nobody knows is told to nobody, and of a deleted one only that it was deleted.
CREATE FUNCTION append_events(
    document_ids uuid[], fact_ids uuid[], types text[], bodies text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    WITH fresh AS (
        SELECT f.*
          FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY
               AS f(document_id, fact_id, type, body, position)
          JOIN documents d USING (document_id)
         WHERE (d.status <> 'deleted' OR f.type = 'document.deleted')
           AND NOT EXISTS (
                SELECT
                  FROM document_events e
                 WHERE e.document_id = f.document_id
                   AND e.fact_id = f.fact_id))
    INSERT INTO document_events (document_id, seq, type, fact_id, body)
    SELECT document_id,
           (SELECT coalesce(max(e.seq), 0) FROM document_events e WHERE e.document_id = f.document_id)
           + row_number() OVER (PARTITION BY document_id ORDER BY position),
           type, fact_id, body::jsonb
      FROM fresh f;
END
$$;

-- Move documents by what a batch of facts says, one change per document. A fact that comes
-- late moves nothing backwards, a higher run reopens what failed, the first to end a run wins,
-- what is being replaced ends no run any more, and nothing at all moves what its client
-- cancelled or deleted;
-- domain/life.py says the same of changes. The rows are locked in key order, so that two
-- batches never wait for each other, and even where nothing changes: the timeline's numbers are
-- given under this lock. What was is read from the locked rows, hence exact.
CREATE FUNCTION apply_changes(
    -- Of the changes, from $1 on.
    document_ids uuid[], statuses text[], position_runs integer[], ranks smallint[],
    told_runs integer[], told_ranks smallint[], told_fact_ids uuid[], stages text[],
    waiting_fors text[], next_attempt_ats timestamptz[], error_messages text[],
    effort_runs integer[], attempts_of integer[], progresses smallint[],
    reading_runs integer[], storeds boolean[], engines text[],
    confidences double precision[], result_versions integer[], result_keys text[],
    vendor_names text[], invoice_numbers text[], invoice_dates text[], totals text[],
    currencies text[], review_statuses text[], review_ranks smallint[],
    review_fact_ids uuid[], review_versions integer[], position_versions integer[],
    review_turns integer[],
    -- Of what is told in the timelines, from $32 on.
    told_of uuid[], fact_ids uuid[], types text[], bodies text[])
RETURNS TABLE (moved_id uuid, moved_status text, has_ended boolean,
               has_lasted_s double precision)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH said AS (
        SELECT *
          FROM unnest($1::uuid[], $2::text[], $3::integer[], $4::smallint[], $5::integer[],
                      $6::smallint[], $7::uuid[], $8::text[], $9::text[], $10::timestamptz[],
                      $11::text[], $12::integer[], $13::integer[], $14::smallint[], $15::integer[],
                      $16::boolean[], $17::text[], $18::double precision[], $19::integer[],
                      $20::text[], $21::text[], $22::text[], $23::text[], $24::text[], $25::text[],
                      $26::text[], $27::smallint[], $28::uuid[], $29::integer[],
                      $30::integer[], $31::integer[])
               AS s(document_id, status, position_run, rank, told_run, told_rank, told_fact_id,
                    stage, waiting_for, next_attempt_at, error_message, effort_run, attempts,
                    progress, reading_run, stored, engine, confidence, result_version, result_key,
                    vendor_name, invoice_number, invoice_date, total, currency, review_status,
                    review_rank, review_fact_id, review_version, position_version,
                    review_turn)),
    held AS (
        SELECT document_id, status, rank, run, told_rank, told_fact_id, reading_run,
               result_version, review_rank, review_fact_id, review_version, review_turn,
               replaces_version
          FROM documents
         WHERE document_id = ANY ($1)
         ORDER BY document_id
           FOR UPDATE),
    -- Everything that is said, and not only what may change anything: of a row that nobody reads
    -- here the lock would not be taken either.
    guarded AS MATERIALIZED (
        SELECT s.*,
               h.status AS status_before,
               CASE
                   WHEN s.status IS NULL OR h.rank >= 90 AND h.status <> 'failed' THEN false
                   WHEN s.status IN ('completed', 'duplicate')
                       THEN s.position_version > h.replaces_version
                            AND (h.rank < 90 OR s.position_run <> h.run)
                   ELSE (s.position_run, s.rank) > (h.run, h.rank)
               END AS moves,
               h.rank AS rank_before,
               h.status IN ('completed', 'duplicate') AS succeeded_before,
               h.result_version > 0 AS had_result,
               coalesce((s.told_run, s.told_rank, s.told_fact_id)
                        > (h.run, h.told_rank, h.told_fact_id), false) AS told_later,
               coalesce(s.reading_run >= h.reading_run, false) AS read_later,
               coalesce(s.result_version > h.result_version, false) AS newer,
               coalesce((s.review_version, s.review_rank, s.review_turn, s.review_fact_id)
                        > (h.review_version, h.review_rank, h.review_turn,
                           coalesce(h.review_fact_id, s.review_fact_id)), false)
                   AS decided_later,
               coalesce(s.effort_run, -1) - h.run AS runs_ahead
          FROM said s
          JOIN held h USING (document_id)),
    judged AS (
        SELECT g.*,
               moves AND rank >= 90 AS ends,
               moves AND rank >= 90 OR (moves OR rank_before < 90) AND told_later AS tells,
               succeeded_before OR moves AND status IN ('completed', 'duplicate') AS succeeded,
               -- What is read anew is told of only when its result is there.
               CASE WHEN stored THEN moves ELSE read_later AND NOT had_result END AS reads
          FROM guarded g
         WHERE status_before NOT IN ('cancelled', 'deleted')
           AND (effort_run IS NOT NULL
                OR result_version IS NOT NULL
                OR review_rank IS NOT NULL))
    UPDATE documents d
       SET status = CASE WHEN j.moves THEN j.status ELSE d.status END,
           rank = CASE WHEN j.moves THEN j.rank ELSE d.rank END,
           run = greatest(d.run, j.effort_run),
           attempts = CASE WHEN j.runs_ahead > 0 THEN j.attempts
                           WHEN j.runs_ahead = 0 THEN greatest(d.attempts, j.attempts)
                           ELSE d.attempts END,
           progress = CASE WHEN j.succeeded THEN 100
                           WHEN j.runs_ahead > 0 THEN j.progress
                           WHEN j.runs_ahead = 0 THEN greatest(d.progress, j.progress)
                           ELSE d.progress END,
           stage = CASE WHEN j.tells THEN j.stage ELSE d.stage END,
           waiting_for = CASE WHEN j.tells THEN j.waiting_for ELSE d.waiting_for END,
           next_attempt_at = CASE WHEN j.tells THEN j.next_attempt_at ELSE d.next_attempt_at END,
           error_message = CASE WHEN j.tells THEN j.error_message ELSE d.error_message END,
           told_rank = CASE WHEN j.tells THEN j.told_rank ELSE d.told_rank END,
           told_fact_id = CASE WHEN j.tells THEN j.told_fact_id ELSE d.told_fact_id END,
           engine = CASE WHEN j.reads THEN j.engine ELSE d.engine END,
           confidence = CASE WHEN j.reads THEN j.confidence ELSE d.confidence END,
           reading_run = CASE WHEN j.reads THEN j.reading_run ELSE d.reading_run END,
           result_version = CASE WHEN j.newer THEN j.result_version ELSE d.result_version END,
           result_key = CASE WHEN j.newer THEN j.result_key ELSE d.result_key END,
           vendor_name = CASE WHEN j.newer THEN j.vendor_name ELSE d.vendor_name END,
           invoice_number = CASE WHEN j.newer THEN j.invoice_number ELSE d.invoice_number END,
           invoice_date = CASE WHEN j.newer THEN j.invoice_date ELSE d.invoice_date END,
           total = CASE WHEN j.newer THEN j.total ELSE d.total END,
           currency = CASE WHEN j.newer THEN j.currency ELSE d.currency END,
           review_status = CASE WHEN j.decided_later THEN j.review_status ELSE d.review_status END,
           review_version = CASE WHEN j.decided_later THEN j.review_version
                                 ELSE d.review_version END,
           review_turn = CASE WHEN j.decided_later THEN j.review_turn ELSE d.review_turn END,
           review_rank = CASE WHEN j.decided_later THEN j.review_rank ELSE d.review_rank END,
           review_fact_id = CASE WHEN j.decided_later THEN j.review_fact_id
                                 ELSE d.review_fact_id END,
           started_at = coalesce(d.started_at, CASE WHEN j.moves AND j.rank >= 20 THEN now() END),
           completed_at = CASE WHEN j.ends THEN now()
                               WHEN j.moves THEN NULL
                               ELSE d.completed_at END,
           updated_at = now(),
           revision = d.revision + 1
      FROM judged j
     WHERE d.document_id = j.document_id
    RETURNING d.document_id, d.status, j.ends,
              extract(epoch FROM now() - coalesce(d.reopened_at, d.created_at))::double precision
                  AS lasted_s;

    PERFORM append_events($32, $33, $34, $35);
END
$$;

-- A round of releases is few calls: whoever holds the turn holds up all who release, and most of
-- what a round cost was its way there and back.

-- Take the turn and look: how the window stands, who waits longest, what was released while it
-- waited, and in which of these priorities, in their order, anybody waits at all. One round at a
-- time, over all replicas, so the places counted stay as they are; the count begins when the turn
-- is there. The count of urgent releases begins anew with each document that becomes the oldest.
CREATE FUNCTION look_in_turn(window_size integer, place_s double precision, known smallint[])
RETURNS TABLE (free integer, oldest uuid, urgent bigint, others integer, priorities smallint[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('release'), hashtext(current_schema()));

    RETURN QUERY
    SELECT window_size - (SELECT count(*)
                            FROM places
                           WHERE taken_at > now() - make_interval(secs => place_s))::integer,
           oldest.document_id,
           coalesce(pg_sequence_last_value('urgent_turns'::regclass), 0)
               - greatest(a.urgent_turn, oldest.urgent_turn),
           a.others,
           ARRAY(SELECT p.priority
                   FROM unnest(known) WITH ORDINALITY AS p(priority, nth)
                  WHERE EXISTS (SELECT FROM waiting w
                                 WHERE w.ready AND w.priority = p.priority)
                  ORDER BY p.nth)
      FROM ageing a,
           (SELECT document_id, urgent_turn
              FROM waiting
             WHERE ready
             ORDER BY accepted_at, document_id
             LIMIT 1) AS oldest;
END
$$;

-- Give places to documents that waited, and note whose turn it was. What their orders need to
-- know comes back.
CREATE FUNCTION release(
    given_ids uuid[],
    -- Of them in turn, and whether the oldest had its own: then the count of the others begins
    -- anew, and urgent releases that are still owed one stay counted.
    in_turn integer, with_oldest boolean, owed bigint,
    -- Who was served last within each priority.
    served_priorities smallint[], served_owners text[])
RETURNS TABLE (document_id uuid, owner_id text, accepted_at timestamptz, priority smallint,
               content_key text, sha256 text, size_bytes bigint, media_type text,
               filename text, run integer, traceparent text, forced boolean,
               replaces_version integer, due_at timestamptz, wanted_engine text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    IF in_turn > 0 OR with_oldest THEN
        UPDATE ageing
           SET others = CASE WHEN with_oldest THEN in_turn ELSE others + in_turn END,
               urgent_turn = CASE WHEN with_oldest
                                  THEN coalesce(
                                           pg_sequence_last_value('urgent_turns'::regclass), 0)
                                       - owed
                                  ELSE urgent_turn END;
    END IF;

    INSERT INTO rotation (priority, owner_id)
    SELECT * FROM unnest(served_priorities, served_owners)
        ON CONFLICT ON CONSTRAINT rotation_pkey DO UPDATE
       SET owner_id = excluded.owner_id;

    -- The rows are locked in key order, as those of facts are; what ended meanwhile is not
    -- released.
    RETURN QUERY
    WITH locked AS (
        SELECT document_id, status, rank, told_rank
          FROM documents
         WHERE document_id = ANY (given_ids)
         ORDER BY document_id
           FOR UPDATE),
    gone AS (
        -- Through the locked rows, so that these are locked first: whoever ends a document takes
        -- its row before its place.
        DELETE FROM waiting w
         USING locked l
         WHERE w.document_id = l.document_id
        RETURNING w.document_id, w.traceparent),
    released AS (
        SELECT g.document_id, g.traceparent, l.told_rank
          FROM gone g
          JOIN locked l USING (document_id)
         WHERE l.status = 'queued'),
    placed AS (
        INSERT INTO places (document_id)
        SELECT document_id FROM released)
    UPDATE documents d
       SET stage = CASE WHEN r.told_rank = 10 THEN 'queued' ELSE d.stage END,
           released_at = now(),
           updated_at = now(),
           revision = d.revision + 1
      FROM released r
     WHERE d.document_id = r.document_id
    RETURNING d.document_id, d.owner_id, d.created_at AS accepted_at, d.priority, d.content_key,
              d.sha256, d.size_bytes, d.media_type, d.filename, d.run, r.traceparent, d.forced,
              d.replaces_version, d.due_at, d.wanted_engine;
END
$$;
