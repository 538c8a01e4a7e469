-- Days that have a merged file, and what it should hold.
SELECT day, compacted_sha256
  FROM storage.days
 WHERE compacted_revision IS NOT NULL AND compacted_rows > 0;
