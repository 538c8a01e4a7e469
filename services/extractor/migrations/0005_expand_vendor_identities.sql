-- An issuer is found by any of its identities, and what a person decided is never replaced by
-- what a machine reads.

ALTER TABLE vendor_sightings
    -- Of the code before.
    ALTER COLUMN vendor_key DROP NOT NULL,
    -- The result that a person decided; 0 for what a machine has read.
    ADD COLUMN decided_version integer NOT NULL DEFAULT 0;

CREATE TABLE vendor_identities (
    document_id uuid        NOT NULL REFERENCES vendor_sightings ON DELETE CASCADE,
    identity    text        NOT NULL,
    owner_id    text        NOT NULL,
    -- Of those who bear it, only so many are recalled: who weighs more comes first.
    weight      smallint    NOT NULL,
    seen_at     timestamptz NOT NULL DEFAULT now(),

    PRIMARY KEY (document_id, identity),
    CONSTRAINT an_identity_is_short CHECK (length(identity) <= 200)
);

-- The weightiest and latest who bear one identity.
CREATE INDEX ix_vendor_identities_bearers
    ON vendor_identities (owner_id, identity, weight DESC, seen_at DESC);

-- What is known already, under the one key that it had; a name had no country.
UPDATE vendor_sightings
   SET seen = seen || jsonb_build_object('identities',
       CASE WHEN vendor_key LIKE 'name:%'
            THEN jsonb_build_array(overlay(vendor_key placing 'name:any' from 1 for 4),
                                   overlay(vendor_key placing 'name:unknown' from 1 for 4))
            ELSE jsonb_build_array(vendor_key)
       END)
 WHERE length(vendor_key) <= 180;

INSERT INTO vendor_identities (document_id, identity, owner_id, weight, seen_at)
SELECT document_id, identity, owner_id,
       2 * least(1, jsonb_array_length(seen -> 'ibans'))
       + CASE WHEN identity LIKE 'name:%' THEN 0 ELSE 1 END,
       seen_at
  FROM vendor_sightings,
       jsonb_array_elements_text(seen -> 'identities') AS identity
 WHERE seen ? 'identities';
