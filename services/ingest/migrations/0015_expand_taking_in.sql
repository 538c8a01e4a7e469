-- Documents are taken in by one call: whoever hands one in waits for every round trip of the
-- commit before his and of his own. What stands inside one after the other has to, since each
-- statement sees what was committed before it began.
CREATE FUNCTION take_in(
    -- Of the documents, and whether one of them needs room.
    content_keys text[], wants_turn boolean,
    -- How many may be with the broker, and after how long a place no longer counts.
    places_max integer, place_s double precision,
    -- Who wants a place.
    new_ids uuid[], new_owners text[], new_priorities smallint[], new_ats timestamptz[],
    new_traceparents text[], new_ready boolean[],
    -- What is kept.
    document_ids uuid[], accepted_ids uuid[], accepted_ats timestamptz[], owner_ids text[],
    priorities smallint[], filenames text[], media_types text[], sha256s text[],
    sizes_bytes bigint[], document_keys text[], event_bodies text[], tags_of text[],
    metadata_of text[], due_ats timestamptz[],
    -- Those that are let in at once, and contents that were erased at some time.
    OUT let_in uuid[], OUT revived text[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    has_turn boolean;
    held     uuid[];
BEGIN
    -- Until the commit nobody erases these contents. They share few numbers, since a batch may
    -- have a thousand; always in the same order, and before the turn, so that nobody waits for
    -- them with it in hand. Who erases takes one alone.
    PERFORM pg_advisory_xact_lock_shared(hashtext('ingest.contents'), bucket)
       FROM (SELECT DISTINCT abs(hashtext(content_key) % 64) AS bucket
               FROM unnest(take_in.content_keys) AS content_key
              ORDER BY bucket) AS buckets;

    -- Until the commit nobody else counts the places. Whoever does not get the turn leaves its
    -- documents to the releaser.
    has_turn := CASE WHEN take_in.wants_turn THEN
        pg_try_advisory_xact_lock(hashtext('release'), hashtext(current_schema()))
        ELSE false END;

    -- Urgent ones always in, the others while the window has room and nobody waits for it. A
    -- place that was taken long ago no longer counts, or a window full of lost documents would
    -- stop everything behind them.
    WITH given AS (
        SELECT *
          FROM unnest(take_in.new_ids, take_in.new_owners, take_in.new_priorities,
                      take_in.new_ats, take_in.new_traceparents, take_in.new_ready)
               AS g(document_id, owner_id, priority, accepted_at, traceparent, ready)),
    room AS (
        SELECT CASE
                   WHEN NOT has_turn THEN 0
                   WHEN EXISTS (SELECT FROM waiting WHERE ready
                                ORDER BY accepted_at, document_id LIMIT 1) THEN 0
                   ELSE take_in.places_max
                        - (SELECT count(*) FROM places
                            WHERE taken_at > now() - make_interval(secs => take_in.place_s))
               END AS places),
    ranked AS (
        SELECT document_id, priority,
               row_number() OVER (ORDER BY priority DESC, accepted_at, document_id) AS nth
          FROM given
         WHERE ready),
    chosen AS (
        SELECT r.document_id,
               CASE WHEN r.priority >= 5 THEN nextval('urgent_turns') END AS turn
          FROM ranked r, room
         WHERE r.priority >= 5 OR r.nth <= room.places),
    placed AS (
        INSERT INTO places (document_id)
        SELECT document_id FROM chosen
        RETURNING document_id),
    waits AS (
        INSERT INTO waiting (document_id, owner_id, priority, accepted_at, traceparent, ready,
                             urgent_turn)
        SELECT document_id, owner_id, priority, accepted_at, traceparent, ready,
               coalesce(pg_sequence_last_value('urgent_turns'::regclass), 0)
          FROM given
         WHERE document_id NOT IN (SELECT document_id FROM chosen)
        RETURNING document_id)
    SELECT ARRAY(SELECT document_id FROM placed), ARRAY(SELECT document_id FROM waits)
      INTO let_in, held;

    -- A thousand documents are one insert, each with the first event of its timeline. Told are
    -- those of their contents that were erased at some time; from now on somebody has them
    -- again.
    WITH given AS (
        SELECT *
          FROM unnest(take_in.document_ids, take_in.accepted_ids, take_in.accepted_ats,
                      take_in.owner_ids, take_in.priorities, take_in.filenames,
                      take_in.media_types, take_in.sha256s, take_in.sizes_bytes,
                      take_in.document_keys, take_in.event_bodies, take_in.tags_of,
                      take_in.metadata_of, take_in.due_ats)
               AS g(document_id, accepted_id, accepted_at, owner_id, priority, filename,
                    media_type, sha256, size_bytes, content_key, body, tags, metadata,
                    due_at)),
    kept AS (
        INSERT INTO documents (document_id, owner_id, created_at, updated_at, status, rank,
                               stage, released_at, told_rank, told_fact_id, priority, filename,
                               media_type, sha256, size_bytes, content_key, tags, metadata,
                               due_at)
        SELECT document_id, owner_id, accepted_at, accepted_at, 'queued', 10,
               CASE WHEN document_id = ANY (held) THEN 'held' ELSE 'queued' END,
               CASE WHEN document_id = ANY (held) THEN NULL ELSE now() END,
               10, accepted_id, priority, filename, media_type, sha256, size_bytes, content_key,
               ARRAY(SELECT jsonb_array_elements_text(tags::jsonb)), metadata::jsonb, due_at
          FROM given),
    told AS (
        INSERT INTO document_events (document_id, seq, at, type, fact_id, body)
        SELECT document_id, 1, accepted_at, 'document.accepted', accepted_id, body::jsonb
          FROM given),
    again AS (
        DELETE FROM erased_contents
         WHERE content_key = ANY (take_in.document_keys)
        RETURNING content_key)
    SELECT ARRAY(SELECT content_key FROM again) INTO revived;
END
$$;
