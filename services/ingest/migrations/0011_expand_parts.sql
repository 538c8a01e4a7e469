-- Documents that were made of another one's pages, because it held several. Rows stay when a
-- document is deleted: they hold ids and numbers of pages, nothing that it said.
CREATE TABLE document_parts (
    document_id  uuid PRIMARY KEY,
    parent_id    uuid NOT NULL,
    position     integer NOT NULL,
    pages        integer[] NOT NULL,
    CONSTRAINT a_part_has_its_own_place UNIQUE (parent_id, position, document_id),
    CONSTRAINT a_part_has_pages CHECK (cardinality(pages) > 0)
);
