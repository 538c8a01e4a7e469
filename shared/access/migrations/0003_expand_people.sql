-- A session is begun with a key, or by somebody the provider vouches for. Code from before knows
-- the first kind only: it joins the key, finds none, and lets the person not in.
ALTER TABLE access.sessions
    ALTER COLUMN key_id DROP NOT NULL,
    ADD COLUMN person_id text,
    ADD COLUMN issuer text,
    ADD COLUMN owner_id text,
    ADD COLUMN name text,
    ADD COLUMN words text[],
    ADD CONSTRAINT a_session_is_of_a_key_or_of_a_person
        CHECK (num_nonnulls(key_id, person_id) = 1
               AND num_nonnulls(person_id, issuer, owner_id, name, words) IN (0, 5)),
    ADD CONSTRAINT a_person_has_a_name
        CHECK (owner_id <> '' AND length(owner_id) <= 200 AND name <> '' AND length(name) <= 200);

CREATE INDEX ix_sessions_person_id ON access.sessions (person_id) WHERE person_id IS NOT NULL;

COMMENT ON COLUMN access.sessions.person_id IS 'made of issuer and subject, as the id of a key';
COMMENT ON COLUMN access.sessions.words IS 'the provider''s own, of those that mean a role here';

-- The same as before, and it says of both kinds that a session has ended.
CREATE OR REPLACE FUNCTION access.end_session(token_hash bytea) RETURNS text
    LANGUAGE sql SECURITY DEFINER
    SET search_path = access, pg_temp
AS $$
    UPDATE access.sessions
       SET ended_at = now()
     WHERE sessions.token_hash = end_session.token_hash
       AND ended_at IS NULL
       AND ends_at > now()
 RETURNING coalesce(key_id, person_id)
$$;
