-- Open failures by fingerprint, the largest first, each with its newest letter, what people
-- say of it, and how many came in each of the last 24 hours.
-- $1 limit
SELECT g.fingerprint, g.letters, g.first_at, g.last_at, newest.*, said.comment, said.owner,
       said.muted_until, coalesce(said.muted_until > now(), false) AS muted,
       coalesce(said.version, 0) AS version, trend.hours, trend.counts
  FROM (SELECT fingerprint, count(*) AS letters, min(arrived_at) AS first_at,
               max(arrived_at) AS last_at
          FROM dead_letters
         WHERE state IN ('open', 'replaying')
         GROUP BY fingerprint
         ORDER BY letters DESC, fingerprint
         LIMIT $1) AS g
 CROSS JOIN LATERAL (
        SELECT letter_id, origin_queue AS queue, reason, category, exception, type, message
          FROM dead_letters AS l
         WHERE l.fingerprint = g.fingerprint
           AND l.state IN ('open', 'replaying')
         ORDER BY l.arrived_at DESC
         LIMIT 1) AS newest
  LEFT JOIN failure_groups AS said ON said.fingerprint = g.fingerprint
 CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(by_hour.hour ORDER BY by_hour.hour), '{}') AS hours,
               coalesce(array_agg(by_hour.letters ORDER BY by_hour.hour), '{}') AS counts
          FROM (SELECT date_trunc('hour', l.arrived_at) AS hour, count(*)::integer AS letters
                  FROM dead_letters AS l
                 WHERE l.fingerprint = g.fingerprint
                   AND l.arrived_at > now() - interval '24 hours'
                 GROUP BY 1) AS by_hour) AS trend
 ORDER BY g.letters DESC, g.fingerprint;
