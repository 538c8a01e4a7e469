"""The process that opens a file to show it. It has nothing to lose and nothing to steal.

What keeps it in chains, and what it means when it dies, is `shared/sandbox`; here is only what
it does for one document: the task it is asked for, and how an unreadable file is told.
"""

import sys

from shared.pages.outcomes import Unreadable
from shared.sandbox.frames import Frame
from shared.sandbox.serving import Served, serve


def handle(asked: Frame) -> Served:
    # In chains, and only then: these load the libraries that open files.
    from services.review.adapters.painter.tasks import TASKS, Asked  # noqa: PLC0415

    try:
        return TASKS[asked.said["task"]](Asked.of(asked))
    except Unreadable as error:
        return Served({"rejected": error.reason, "detail": str(error)})


def load() -> None:
    """So that none of it is looked through behind each document."""
    from services.review.adapters.painter import tasks  # noqa: F401, PLC0415


if __name__ == "__main__":
    sys.exit(serve(handle, sys.argv[1:], load=load))
