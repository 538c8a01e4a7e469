-- Begin a session of somebody the provider vouches for. Others of theirs that rest on something
-- else, such as a role that was taken from them meanwhile, end with it.
-- $1 token_hash  $2 person_id  $3 issuer  $4 owner_id  $5 name  $6 words  $7 lifetime_s
WITH outdated AS (
    UPDATE access.sessions
       SET ended_at = now()
     WHERE person_id = $2
       AND ended_at IS NULL
       AND (owner_id <> $4 OR words <> $6))
INSERT INTO access.sessions (token_hash, person_id, issuer, owner_id, name, words, ends_at)
VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7));
