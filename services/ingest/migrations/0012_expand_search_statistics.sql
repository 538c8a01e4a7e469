-- How common a beginning of a name is, is asked when a search is planned. An index that leaves
-- rows out is not asked, so it was guessed, and a rare name looked for in all documents.
CREATE STATISTICS st_documents_vendor_name ON (lower(left(vendor_name, 200))) FROM documents;
CREATE STATISTICS st_documents_invoice_number
    ON (lower(left(invoice_number, 200))) FROM documents;
ANALYZE documents;
