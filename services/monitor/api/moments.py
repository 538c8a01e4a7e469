"""Moments as clients tell them: of years that every clock and table here can hold."""

import re
from typing import Annotated

from pydantic import AwareDatetime, BeforeValidator

# Of years with which can be reckoned; seconds since 1970 are another form.
_MOMENT = re.compile(r"2\d{3}-\d\d-\d\d[Tt ]")


def _as_told(text: object) -> object:
    if text is not None and not _MOMENT.match(str(text)):
        raise ValueError("a moment with its time zone, such as 2026-11-01T00:00:00Z")
    return text


Moment = Annotated[AwareDatetime, BeforeValidator(_as_told)]
