"""`.env.example` tells the truth about the settings."""

from pathlib import Path

from tests.contract.env_example import render
from tests.house.repository import ROOT

EXAMPLE: Path = ROOT / ".env.example"


def test_the_example_is_what_the_settings_say() -> None:
    hint = "python -m tests.contract.env_example > .env.example"

    assert EXAMPLE.read_text() == render(), f"write it anew: {hint}"


def test_a_secret_is_never_filled_in() -> None:
    lines = EXAMPLE.read_text().splitlines()
    filled = [
        one
        for one in lines
        if "=" in one and any(word in one for word in ("_SECRET", "_PASSWORD", "_API_KEY="))
        if one.partition("=")[2]
    ]

    assert not filled
