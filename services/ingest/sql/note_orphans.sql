-- Those of these contents that no document refers to, unless they are noted already. The kinds
-- of stores do not agree on how old an object is, so their time counts from here.
-- $1 content_keys  $2 after_s
INSERT INTO orphans (content_key, due_at)
SELECT k.content_key, now() + make_interval(secs => $2::float8)
  FROM unnest($1::text[]) AS k(content_key)
 WHERE NOT EXISTS (SELECT FROM documents d WHERE d.content_key = k.content_key)
 ORDER BY k.content_key
    ON CONFLICT (content_key) DO NOTHING;
