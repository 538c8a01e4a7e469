-- Where a document stands in the queue, in the order in which turns are given: urgency first,
-- then owner after owner, one document of each in every round. That the oldest goes before its
-- turn now and then is left out. Never more index entries are read than a person wants told.
-- $1 document_id  $2 limit
WITH RECURSIVE me AS (
    SELECT w.document_id, w.owner_id, w.priority, w.accepted_at, w.ready,
           coalesce((SELECT r.owner_id FROM rotation r WHERE r.priority = w.priority), '')
               AS last
      FROM waiting w
     WHERE w.document_id = $1::uuid),
higher AS (
    SELECT count(*) AS documents
      FROM (SELECT
              FROM waiting w
             WHERE w.ready
               AND w.priority > (SELECT priority FROM me)
             LIMIT $2::integer) AS found),
own AS (
    SELECT count(*) AS documents
      FROM (SELECT
              FROM waiting w
             WHERE w.ready
               AND w.priority = (SELECT priority FROM me)
               AND w.owner_id = (SELECT owner_id FROM me)
               AND (w.accepted_at, w.document_id)
                   < ((SELECT accepted_at FROM me), (SELECT document_id FROM me))
             LIMIT $2::integer) AS found),
owners (owner_id, nth) AS (
    SELECT (SELECT min(w.owner_id)
              FROM waiting w
             WHERE w.ready
               AND w.priority = (SELECT priority FROM me)), 1
    UNION ALL
    SELECT (SELECT min(w.owner_id)
              FROM waiting w
             WHERE w.ready
               AND w.priority = (SELECT priority FROM me)
               AND w.owner_id > o.owner_id), o.nth + 1
      FROM owners o
     WHERE o.owner_id IS NOT NULL
       AND o.nth < $2::integer),
others AS (
    SELECT count(*) AS documents
      FROM (SELECT
              FROM owners o
             CROSS JOIN me
             CROSS JOIN own
             CROSS JOIN LATERAL (
                    SELECT
                      FROM waiting w
                     WHERE w.ready
                       AND w.priority = me.priority
                       AND w.owner_id = o.owner_id
                     LIMIT own.documents
                           + ((o.owner_id <= me.last, o.owner_id)
                              < (me.owner_id <= me.last, me.owner_id))::integer) AS before
             WHERE o.owner_id <> me.owner_id
             LIMIT $2::integer) AS found),
everybody AS (
    SELECT count(*) AS documents
      FROM (SELECT FROM waiting WHERE ready LIMIT $2::integer + 1) AS found)
SELECT me.ready,
       higher.documents + own.documents + others.documents + 1 AS place,
       everybody.documents AS length
  FROM me, higher, own, others, everybody;
