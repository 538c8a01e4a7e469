"""How many requests of one caller are served at once: who drips must leave room for others.

A place is taken when it is known whose a request is, and given back when it is over. Of all
that can be served at once nobody has more than half, however patient his clients are.
"""

from collections import Counter
from http import HTTPStatus

from shared.web.problems import Problem

# Where the gate leaves a request's place for the guard, who knows the caller.
PLACE = "paperline.place"
AGAIN_S = 2


class Places:
    def __init__(self, requests_max: int) -> None:
        self._each_max = max(requests_max // 2, 1)
        self._taken = Counter[str]()

    def take(self, key_id: str) -> None:
        """Raises the 429 of who has as many as he may."""
        if self._taken[key_id] >= self._each_max:
            raise Problem(
                HTTPStatus.TOO_MANY_REQUESTS,
                "too_many_at_once",
                f"At most {self._each_max} requests of one key are served at once here.",
                headers={"Retry-After": str(AGAIN_S)},
            )
        self._taken[key_id] += 1

    def give_back(self, key_id: str) -> None:
        self._taken[key_id] -= 1
        if not self._taken[key_id]:
            # Keys come and go; who has no place is not remembered.
            del self._taken[key_id]


class Place:
    """Of one request, which may never come to say whose it is."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._key_id: str | None = None

    def take(self, key_id: str) -> None:
        self._places.take(key_id)
        self._key_id = key_id

    def give_back(self) -> None:
        if self._key_id is not None:
            self._places.give_back(self._key_id)
            self._key_id = None
