"""Electronic invoices: what a CII or UBL document states, as the fields of an invoice."""
