"""What a PDF library makes up for each copy of a file, made of the original instead.

Otherwise the same deed on the same document would give other bytes each time, and no repeated
upload would be recognised.
"""

import re

# The library makes up the second half of a file's identity for each copy, and the first where
# it is missing; the trailer holds both as hexadecimal digits.
_IDENTITY = re.compile(rb"/ID\[.*?\]", re.DOTALL)
_HALF = re.compile(rb"<[0-9A-F]{32}>")


def identified(copy: bytes, digest: str) -> bytes:
    """With an identity made of the original's digest; as long as the one it replaces, since
    the file is full of offsets."""
    match = _IDENTITY.search(copy, max(0, copy.rfind(b"trailer")))
    if match is None:
        return copy
    own = _HALF.sub(f"<{digest[:32].upper()}>".encode(), match[0])
    return copy[: match.start()] + own + copy[match.end() :]
