-- Before documents are taken in: until the commit nobody erases their contents, and nobody
-- else counts the places. Whoever does not get the turn leaves its documents to the releaser.
-- Contents share few numbers, since a batch may have a thousand; always in the same order, and
-- before the turn, so that nobody waits for them with it in hand. Who erases takes one alone.
-- $1 content_keys  $2 wants_turn
WITH buckets AS (
    SELECT DISTINCT abs(hashtext(content_key) % 64) AS bucket
      FROM unnest($1::text[]) AS content_key
     ORDER BY bucket),
locked AS MATERIALIZED (
    SELECT pg_advisory_xact_lock_shared(hashtext('ingest.contents'), bucket)
      FROM buckets)
SELECT CASE
           WHEN $2::boolean THEN
               pg_try_advisory_xact_lock(hashtext('release'), hashtext(current_schema()))
           ELSE false
       END AS has_turn
  FROM (SELECT count(*) AS locks FROM locked) AS all_of_them
 WHERE locks >= 0;
