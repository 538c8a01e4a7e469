"""The setting of every test of the review service; a test says only what differs."""

import pytest

from tests.unit.review.world import World


@pytest.fixture
def world() -> World:
    return World()
