"""What an operator decides about reading: fields, rules, limits and prices, in one YAML file.

`load.py` opens it and answers an `ExtractionConfiguration`; whatever is wrong is a
`ConfigurationError` that says where it stands and what to do. Several services use it, so no
rule of one service lives here: `marks.py` reads YAML, the others say what may stand in it.
"""
