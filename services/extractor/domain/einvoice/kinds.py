"""What kind of document a type code of UNTDID 1001 names."""

CREDIT_NOTE = "credit_note"
_TYPES = {
    **dict.fromkeys(("81", "83", "261", "262", "296", "308", "381"), CREDIT_NOTE),
    **dict.fromkeys(("396", "420", "458", "502", "503", "532"), CREDIT_NOTE),
    **dict.fromkeys(("80", "84", "383"), "debit_note"),
    "325": "proforma",
}


def type_of(code: str) -> str:
    """Whatever the lists add: a document in these syntaxes is an invoice by default."""
    return _TYPES.get(code.strip(), "invoice")
