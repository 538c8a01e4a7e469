"""What each error of the domain is in HTTP, in one table."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from services.monitor.domain.replays import (
    AlreadyReplaying,
    NoSuchLetter,
    NoSuchReplay,
    NotReplayable,
)
from shared.web.problems import Problem


@contextmanager
def told() -> Iterator[None]:
    try:
        yield
    except NoSuchLetter as error:
        raise Problem(
            HTTPStatus.NOT_FOUND, "no_such_letter", "There is no dead letter of this id."
        ) from error
    except NoSuchReplay as error:
        raise Problem(
            HTTPStatus.NOT_FOUND, "no_such_replay", "There is no replay of this id."
        ) from error
    except AlreadyReplaying as error:
        # Where the replay that is in the way can be watched.
        headers = {"Location": f"/ops/v1/replays/{error.letter.replay_id}"}
        raise Problem(
            HTTPStatus.CONFLICT, "already_replaying", f"{error}.", headers=headers
        ) from error
    except NotReplayable as error:
        raise Problem(HTTPStatus.CONFLICT, "not_replayable", f"{error}.") from error
