-- Effects that were told more than once, so that they happened more than once: a fact is written
-- in the commit that it speaks of, under an identity of its own. A later run tells again what it
-- finds stored, and that is no second effect.
-- $1 limit
SELECT f.document_id::text AS subject,
       f.type || coalesce(' of version ' || (f.detail ->> 'result_version'), '') || ' in run '
           || f.run || ': ' || count(*) || ' times' AS detail,
       count(*)::text AS mark
  FROM monitor.document_facts f
  JOIN ingest.documents d USING (document_id)
 WHERE f.type IN ('document.accepted', 'document.stored')
   AND d.status <> 'deleted'
 GROUP BY f.document_id, f.type, f.run, f.detail ->> 'result_version'
HAVING count(*) > 1
 ORDER BY subject
 LIMIT $1;
