"""When the system counts as quick again, on a machine that others use as well."""

import pytest

from tests.nemesis.burst import Burst, is_back


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (Burst(22.0, 0.01), True),
        (Burst(24.0, 0.01), False),
        (Burst(32.0, 0.015), True),
        (Burst(36.0, 0.015), False),
        (Burst(24.0, 0.005), False),
    ],
    ids=[
        "nine tenths",
        "less",
        "on a slower machine",
        "less, on a slower machine",
        "less, on a quicker machine",
    ],
)
def test_nine_tenths_of_what_the_machine_allows_is_back(after: Burst, expected: bool) -> None:
    assert is_back(Burst(20.0, 0.01), after) is expected
