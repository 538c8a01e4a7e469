"""The default rules with other limits for the provider: those are not what is measured."""

import re
from pathlib import Path

from shared.configuration.load import DEFAULT_FILE
from tests.system.stack import Stack

LIFTED = {
    "requests_per_second": 10_000.0,
    "cost_per_day_max": 1_000_000.0,
    "cost_per_client_and_day_max": 1_000_000.0,
}


def lifted(stack: Stack, **limits: float) -> Path:
    """A file with them; what is not said is out of the way."""
    rules = DEFAULT_FILE.read_text()
    for name, value in (LIFTED | limits).items():
        rules, found = re.subn(rf"\b{name}: \d+", f"{name}: {value:g}", rules)
        assert found, name
    file = stack.state.root / "lifted.yaml"
    file.write_text(rules)
    return file
