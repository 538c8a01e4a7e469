-- A batch of facts is one call, and mostly a commit of its own: two round trips for the
-- transaction and one for the second statement were more than half of what a batch cost. The
-- statements inside come one after the other, since the second has to see what was committed
-- while the first waited: a document may have been deleted meanwhile.
CREATE FUNCTION keep_facts(
    -- Where documents stand.
    seen_ids uuid[], owner_ids text[], accepted_ats timestamptz[], statuses text[],
    runs integer[], ranks smallint[], priorities smallint[], ended_ats timestamptz[],
    -- What was told of them.
    told_ids uuid[], fact_ids uuid[], types text[], fact_runs integer[],
    said_ats timestamptz[], trace_ids text[], cause_ids uuid[], details text[],
    -- Those that moved.
    OUT moved uuid[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    -- Documents move forward only: to a later run, or to a higher rank within one. So a fact
    -- that comes late or twice moves nothing, and the first end of a run is its end. What is
    -- deleted stays so, whichever run is told of later.
    WITH moving AS (
        INSERT INTO documents_seen (
               document_id, owner_id, accepted_at, status, run, rank, priority, ended_at)
        SELECT document_id, owner_id, accepted_at, status, run, rank, priority, ended_at
          FROM unnest(keep_facts.seen_ids, keep_facts.owner_ids, keep_facts.accepted_ats,
                      keep_facts.statuses, keep_facts.runs, keep_facts.ranks,
                      keep_facts.priorities, keep_facts.ended_ats)
               AS seen (document_id, owner_id, accepted_at, status, run, rank, priority,
                        ended_at)
         ORDER BY document_id
            ON CONFLICT (document_id) DO UPDATE
           SET status = excluded.status,
               run = excluded.run,
               rank = excluded.rank,
               ended_at = excluded.ended_at,
               moved_at = now()
         WHERE (documents_seen.status = 'deleted', documents_seen.run, documents_seen.rank)
               < (excluded.status = 'deleted', excluded.run, excluded.rank)
        RETURNING document_id)
    SELECT ARRAY(SELECT document_id FROM moving) INTO moved;

    -- Each fact once. Of a deleted document only that it was told is kept.
    INSERT INTO document_facts (
           document_id, job_id, type, run, said_at, trace_id, cause_id, detail)
    SELECT f.document_id, f.job_id, f.type, f.run, f.said_at, f.trace_id, f.cause_id,
           CASE WHEN d.status = 'deleted' THEN '{}'::jsonb ELSE f.detail::jsonb END
      FROM unnest(keep_facts.told_ids, keep_facts.fact_ids, keep_facts.types,
                  keep_facts.fact_runs, keep_facts.said_ats, keep_facts.trace_ids,
                  keep_facts.cause_ids, keep_facts.details)
           AS f (document_id, job_id, type, run, said_at, trace_id, cause_id, detail)
      LEFT JOIN documents_seen AS d ON d.document_id = f.document_id
     ORDER BY f.document_id, f.job_id
        ON CONFLICT (document_id, job_id) DO NOTHING;
END
$$;
