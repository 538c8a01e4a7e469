-- Not a document: it belongs to another stage, which keeps its own things in the same place.
-- $1 content_key
UPDATE orphans SET is_document = false WHERE content_key = $1::text;
