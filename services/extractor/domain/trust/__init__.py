"""How far each field can be trusted: who agrees, where it stands on the page, what adds up.

What a model says of itself is never shown as confidence. A field's signals are gathered here,
weighed by a calibrator that has a version, and capped by what speaks against it.
"""
