"""Arize Phoenix, a receiver of traces that others made: for a test, where somebody has it.

It is too large to be installed for one test without being asked: 850 MB in an environment of
its own, as its requirements do not go with ours.
"""

import os
import shutil
from pathlib import Path

ADVICE = "pip install arize-phoenix in an environment of its own, and set PAPERLINE_PHOENIX"


def phoenix_program() -> Path | None:
    found = shutil.which(os.environ.get("PAPERLINE_PHOENIX") or "phoenix")
    return Path(found) if found else None
