"""From the configuration to compiled rules; what is wrong is told with file, line and key."""

from shared.checks.book import RuleBook, WrongRule, compile_rules
from shared.checks.check_digits import CHECK_DIGITS
from shared.configuration.load import ConfigurationError, Loaded


def rule_book(loaded: Loaded) -> RuleBook:
    try:
        return compile_rules(loaded.configuration, CHECK_DIGITS)
    except WrongRule as error:
        raise ConfigurationError(loaded.problem(error.place, error.sentence)) from error
