"""What is done now and then is done together, and no oftener than now and then."""

import asyncio

import pytest

from shared.bus.waiting import until_beat


@pytest.mark.parametrize(
    ("now", "every_s", "left_s"),
    [
        (7.25, 1.0, 0.75),
        (7.75, 1.0, 0.25),
        (7.75, 5.0, 2.25),
        (7.875, 0.25, 0.125),
        # On the beat, it is for the next one.
        (8.0, 1.0, 1.0),
        # Woken a moment too early, as timers do, it would be done twice at once.
        (7.999, 1.0, 1.001),
    ],
)
async def test_whenever_somebody_begins_to_rest_he_is_woken_on_the_same_beat(
    monkeypatch: pytest.MonkeyPatch, now: float, every_s: float, left_s: float
) -> None:
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)

    assert until_beat(every_s) == pytest.approx(left_s)
