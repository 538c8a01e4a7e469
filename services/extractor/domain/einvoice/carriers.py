"""Whether a PDF can carry anything at all, told by its bytes alone."""


def may_hold_files(pdf: bytes) -> bool:
    """Most have neither a key for a file nor anything packed in which one could be."""
    return b"/EF" in pdf or b"ObjStm" in pdf
