-- Of the documents whose time was over lately: how many were late, and how many of those had
-- been told to wait for a provider. What was given up by its owner counts for nobody.
-- $1 priorities  $2 targets_s  $3 window_s
WITH level AS (
        SELECT priority, target_s
          FROM unnest($1::smallint[], $2::float8[]) AS given (priority, target_s)),
     due AS (
        SELECT d.document_id, l.priority,
               coalesce(d.ended_at, CASE WHEN d.rank >= 90 THEN d.moved_at ELSE now() END)
                   - d.accepted_at > make_interval(secs => l.target_s) AS late
          FROM level AS l
          JOIN documents_seen AS d ON d.priority = l.priority
         WHERE d.accepted_at > now() - make_interval(secs => $3)
           AND d.status NOT IN ('cancelled', 'deleted')
           AND (d.rank >= 90 OR d.accepted_at < now() - make_interval(secs => l.target_s)))
SELECT l.priority, count(due.document_id) AS due,
       count(*) FILTER (WHERE due.late) AS late,
       count(*) FILTER (WHERE due.late AND EXISTS (
           SELECT 1
             FROM document_facts AS f
            WHERE f.document_id = due.document_id
              AND f.type = 'document.waiting')) AS excused
  FROM level AS l
  LEFT JOIN due USING (priority)
 GROUP BY l.priority;
