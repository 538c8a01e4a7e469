"""Around a stack that is struck: its own servers, our double of the provider, short waits."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.local.state import REPOSITORY

CONFIG = REPOSITORY / "deploy" / "configs" / "extraction_module_schema.yaml"
# Somebody's own servers must not be struck.
ELSEWHERE = ("DATABASE_URL", "AMQP_URL", "S3_ENDPOINT")
QUICKER = (
    ("backoff_base_seconds: 10", "backoff_base_seconds: 1"),
    ("recovery_timeout_seconds: 60", "recovery_timeout_seconds: 2"),
)


def quick_rules(file: Path, *also: tuple[str, str]) -> Path:
    """Those that are shipped, but whoever waits after a trouble waits seconds."""
    text = CONFIG.read_text()
    for before, after in (*QUICKER, *also):
        assert before in text, before
        text = text.replace(before, after)
    file.write_text(text)
    return file


@contextmanager
def surrounded(
    told: Mapping[str, str], *, provider_url: str, rules: Path
) -> Iterator[pytest.MonkeyPatch]:
    """For the stacks that are started meanwhile; more may be said to them later."""
    given = {
        **told,
        "ENGINES": "einvoice,offline,gemini",
        "GEMINI_API_KEY": "a key",
        "GEMINI_BASE_URL": provider_url,
        "PAPERLINE_EXTRACTION_CONFIG": str(rules),
    }
    with pytest.MonkeyPatch.context() as surroundings:
        for name in ELSEWHERE:
            surroundings.delenv(name, raising=False)
        for name, text in given.items():
            surroundings.setenv(name, text)
        yield surroundings
