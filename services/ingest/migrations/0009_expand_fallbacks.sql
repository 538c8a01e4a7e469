-- What was read while the provider was away, to be read again: few among many.
CREATE INDEX ix_documents_fallback ON documents (created_at DESC, document_id DESC)
 WHERE engine = 'offline_fallback';
