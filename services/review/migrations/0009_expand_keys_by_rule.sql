-- By which rules the keys of an invoice were made. Those of older rules do not meet those of newer
-- ones, so they are made anew beside the work; what old code still writes is among them.
ALTER TABLE invoice_keys
    ADD COLUMN version smallint NOT NULL DEFAULT 1;

CREATE INDEX ix_invoice_keys_version
    ON invoice_keys (version, document_id);
