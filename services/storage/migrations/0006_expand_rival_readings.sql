-- Two orders may bring two readings of one document for the place of one version: a dead letter
-- that is replayed beside a reprocess. What was read tells them apart, so each has a number and
-- files of its own. Null of what was numbered before.
ALTER TABLE version_numbers
    ADD COLUMN extraction_key text;
