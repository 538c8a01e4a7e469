-- How far the watched batches are by now, those that have moved since each was last looked at.
-- $1 batch_ids  $2 after_versions
SELECT s.batch_id, s.owner_id, s.created_at, s.completed_at, s.deleted_at, s.revision,
       s.rejected, s.documents, s.counts, s.progress, s.version, now() AS at
  FROM unnest($1::uuid[], $2::bigint[]) AS watched(batch_id, after_version)
  JOIN batch_standings s USING (batch_id)
 WHERE s.version > watched.after_version;
