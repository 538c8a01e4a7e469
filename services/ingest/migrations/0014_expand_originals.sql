-- Of a content that came in a thousand times there is one original and 999 copies: whoever looks
-- for the original need not pass the copies.
CREATE INDEX ix_documents_originals ON documents (owner_id, content_key)
 WHERE content_key <> ''
   AND result_version > 0
   AND status NOT IN ('duplicate', 'cancelled', 'deleted');
