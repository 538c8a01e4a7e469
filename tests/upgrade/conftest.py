"""Two versions of the repository: the one that is here, and one it is upgraded from or to."""

from pathlib import Path

import pytest

from tests.broker.database import Servers
from tests.upgrade.versions import Version, here, previous, tomorrow


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--from",
        dest="from_revision",
        help="the version to upgrade from (default: the last before migrations or messages "
        "changed)",
    )


@pytest.fixture(scope="session")
def folder() -> Path:
    state = Servers().state
    if state is None:
        pytest.skip("PAPERLINE_TEST_STATE is not set: ./paperline test upgrade sets it")
    return Path(state) / "upgrade"


@pytest.fixture(params=["from the version before", "to an invented next version"])
def versions(request: pytest.FixtureRequest, folder: Path) -> tuple[Version, Version]:
    """The older and the newer."""
    if request.param == "to an invented next version":
        return here(), tomorrow(folder / "tomorrow")
    return previous(folder / "previous", request.config.getoption("from_revision")), here()
