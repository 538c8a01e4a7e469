"""The setting of every test of the monitor; a test says only what differs."""

import pytest

from tests.unit.monitor.world import World


@pytest.fixture
def world() -> World:
    return World()
