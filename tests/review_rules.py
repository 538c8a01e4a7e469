"""The rules that come with the program, compiled once for all tests of the review service."""

from functools import cache

from services.review.domain.rules import Rules
from shared.checks.configured import rule_book
from shared.configuration.load import load_configuration


@cache
def rules() -> Rules:
    loaded = load_configuration()
    return Rules(rule_book(loaded), loaded.configuration.fields)
