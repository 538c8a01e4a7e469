"""How well the engines read: documents with known answers, read and counted.

A folder holds `documents.jsonl` (id, file, tier: all that an engine sees) and `truth.jsonl`
(the answers). A field is right when it equals the truth, or one of its stated alternatives,
after both were brought into one form. A wrong value counts twice, as a false one and as a
missed one; a value for what is known not to be on the document counts as a false one.
"""
