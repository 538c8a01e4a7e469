-- How the first page of a scanned document looks, so that the same paper is known when it is scanned
-- again, though its number or its seller was not read. Documents of before have none.
CREATE TABLE sheets (
    document_id  uuid PRIMARY KEY REFERENCES review_items ON DELETE CASCADE,
    owner_id     text NOT NULL,
    page_count   integer NOT NULL,
    -- Of which the same page, scanned again, differs in a few.
    fingerprint  bit(64) NOT NULL,
    -- As they are compared: with letters and digits that look alike as one.
    number       text,
    issue_date   text,
    total        numeric
);

-- Many look alike that are not, so two of the three have to be the same: these find them.
CREATE INDEX ix_sheets_date
    ON sheets (owner_id, issue_date, total);
CREATE INDEX ix_sheets_number
    ON sheets (owner_id, number, total);
