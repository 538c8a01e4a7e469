-- Documents that the sweeper had to order again: what carried them was gone.
SELECT document_id::text AS subject,
       'was ordered again by the sweeper ' || sweeps || ' times' AS detail,
       sweeps::text AS mark, sweeps
  FROM ingest.documents
 WHERE sweeps > 0
 ORDER BY subject;
