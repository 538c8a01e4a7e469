"""Reading an invoice from words and where they stand, for issuers never seen before."""
