-- What was seen of issuers, one row per document, so that deleting a document forgets it.

CREATE TABLE vendor_sightings (
    document_id uuid        PRIMARY KEY,
    owner_id    text        NOT NULL,
    -- Whose invoice it is, by the best that tells: a VAT id, another id, a name.
    vendor_key  text        NOT NULL,
    seen        jsonb       NOT NULL,
    seen_at     timestamptz NOT NULL DEFAULT now(),

    CONSTRAINT a_vendor_key_is_short CHECK (length(vendor_key) <= 200)
);

-- The latest of one issuer.
CREATE INDEX ix_vendor_sightings_vendor
    ON vendor_sightings (owner_id, vendor_key, seen_at DESC);
