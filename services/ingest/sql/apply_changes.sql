-- Move documents by what a batch of facts says, one change per document. A fact that comes
-- late moves nothing backwards, a higher run reopens what failed, the first to end a run wins,
-- what is being replaced ends no run any more, and nothing at all moves what its client
-- cancelled or deleted;
-- domain/life.py says the same of changes. The rows are locked in key order, so that two
-- batches never wait for each other, and even where nothing changes: the timeline's numbers are
-- given under this lock. What was is read from the locked rows, hence exact.
-- $1 document_ids  $2 status  $3 position_run  $4 rank  $5 told_run  $6 told_rank
-- $7 told_fact_id  $8 stage  $9 waiting_for  $10 next_attempt_at  $11 error_message
-- $12 effort_run  $13 attempts  $14 progress  $15 reading_run  $16 stored  $17 engine
-- $18 confidence  $19 result_version  $20 result_key  $21 vendor_name  $22 invoice_number
-- $23 invoice_date  $24 total  $25 currency  $26 review_status  $27 review_rank
-- $28 review_fact_id  $29 review_version  $30 position_version  $31 review_turn
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
     WHERE document_id = ANY ($1::uuid[])
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
