-- Documents whose dated paths, exports or versions do not agree about which version is current.
-- $1 limit  $2 live_s
SELECT coalesce(o.document_id, s.document_id)::text AS subject,
       CASE WHEN o.document_id IS NULL THEN 'has files of version ' || s.version
                                            || ' and shows nothing'
            WHEN s.document_id IS NULL THEN 'shows version ' || o.version
                                            || ', which was never kept'
            WHEN o.published_at IS NULL THEN 'version ' || o.version || ' is not published'
            WHEN o.shown_version IS DISTINCT FROM o.version
                THEN 'shows version ' || o.shown_version || ' instead of ' || o.version
            ELSE 'exports know version ' || coalesce(i.version::text, 'none')
                 || ' instead of ' || o.version END AS detail,
       concat_ws(' ', o.version, o.shown_version, o.changed_at, i.version) AS mark
  FROM storage.outputs o
  FULL JOIN (SELECT DISTINCT ON (document_id) document_id, version
               FROM storage.stored_results
              WHERE has_files
              ORDER BY document_id, version DESC) AS newest USING (document_id)
  LEFT JOIN storage.stored_results s
    ON s.document_id = coalesce(o.document_id, newest.document_id)
   AND s.version = coalesce(o.version, newest.version)
  LEFT JOIN storage.result_index i
    ON i.document_id = o.document_id
 WHERE (o.changed_at IS NULL OR o.changed_at <= now() - make_interval(secs => $2))
   AND (o.document_id IS NULL
        OR s.document_id IS NULL
        OR o.published_at IS NULL
        OR o.shown_version IS DISTINCT FROM o.version
        OR i.version IS DISTINCT FROM o.version)
 ORDER BY subject
 LIMIT $1;
