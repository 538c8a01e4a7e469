-- That there was a letter is of no more use than what was told of its document.
-- $1 days  $2 limit
DELETE FROM letters_purged AS p
 USING (SELECT document_id, letter_id
          FROM letters_purged
         WHERE purged_at < now() - make_interval(days => $1)
         ORDER BY purged_at
         LIMIT $2) AS old
 WHERE p.document_id = old.document_id
   AND p.letter_id = old.letter_id
RETURNING p.letter_id;
