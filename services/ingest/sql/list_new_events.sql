-- What happened to many documents since each was last looked at, a few events of each.
-- $1 document_ids  $2 after_seqs  $3 limit
SELECT e.document_id, e.seq, e.at, e.type, e.body
  FROM unnest($1::uuid[], $2::integer[]) AS watched(document_id, after_seq)
 CROSS JOIN LATERAL (
        SELECT *
          FROM document_events
         WHERE document_id = watched.document_id
           AND seq > watched.after_seq
         ORDER BY seq
         LIMIT $3::integer) AS e
 ORDER BY e.document_id, e.seq;
