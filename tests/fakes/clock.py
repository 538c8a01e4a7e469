"""A clock that stands still until the test moves it."""

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


class FakeClock:
    def __init__(self, moment: datetime = NOON) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment

    def advance(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)
