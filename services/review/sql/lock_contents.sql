-- Who keeps something drawn of a content and who erases it take turns until their commit. There
-- may be no row to meet at. Always in the same order.
-- $1 sha256s
SELECT pg_advisory_xact_lock(hashtextextended('review.drawn.' || sha256, 0))
  FROM (SELECT sha256 FROM unnest($1::text[]) AS sha256 ORDER BY sha256) AS sorted;
