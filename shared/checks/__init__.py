"""Does an invoice hold together? Rules over its fields, compiled once and run over each.

`assessment.py` says what comes out: start there. `book.py` compiles the rules of the
configuration, `evaluate.py` runs them, `expressions.py` is their small language and `repair.py`
looks for the one misread character that would explain a failure. Nothing here changes a value
that was read.
"""
