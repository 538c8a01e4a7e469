-- As before, but each priority is looked up in the index, by the order that only the index has.
-- PostgreSQL made a join of EXISTS, and read all who waited at every round.
CREATE OR REPLACE FUNCTION look_in_turn(window_size integer, place_s double precision, known smallint[])
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
                  WHERE (SELECT true
                           FROM waiting w
                          WHERE w.ready AND w.priority = p.priority
                          ORDER BY w.owner_id, w.accepted_at, w.document_id
                          LIMIT 1)
                  ORDER BY p.nth)
      FROM ageing a,
           (SELECT document_id, urgent_turn
              FROM waiting
             WHERE ready
             ORDER BY accepted_at, document_id
             LIMIT 1) AS oldest;
END
$$;
