"""The command line as people type it."""

import pytest

from deploy.local.arguments import parser


@pytest.mark.parametrize(
    "line", [["--state", "there", "up"], ["up", "--state", "there"]], ids=["before", "after"]
)
def test_the_state_folder_may_stand_before_or_after_the_command(line: list[str]) -> None:
    assert parser().parse_args(line).state == "there"


def test_a_command_is_required() -> None:
    with pytest.raises(SystemExit):
        parser().parse_args([])


def test_unknown_options_of_test_are_left_for_pytest() -> None:
    options, extra = parser().parse_known_args(["test", "unit", "-k", "ladder", "-x"])

    assert options.tier == "unit"
    assert extra == ["-k", "ladder", "-x"]


def test_a_priority_is_one_of_four() -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["submit", "a.pdf", "--priority", "now"])


def test_what_stands_behind_a_module_is_the_modules() -> None:
    options, extra = parser().parse_known_args(
        ["as", "ingest", "shared.access", "issue", "--owner", "anna", "--role", "reviewer"]
    )

    assert (options.account, options.module) == ("ingest", "shared.access")
    assert options.words == ["issue", "--owner", "anna", "--role", "reviewer"]
    assert extra == []


def test_what_stands_behind_a_tool_is_the_tools_also_its_options() -> None:
    options, extra = parser().parse_known_args(
        ["tool", "psql", "--command", "SELECT 1", "--csv"]
    )

    assert (options.program, options.words) == ("psql", ["--command", "SELECT 1", "--csv"])
    assert extra == []
