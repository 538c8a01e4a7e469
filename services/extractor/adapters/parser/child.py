"""The process that opens untrusted files. It has nothing to lose and nothing to steal.

What keeps it in chains, and what it means when it dies, is `shared/sandbox`; here is only what
it does for one document: the task it is asked for, and how an unreadable file is told.
"""

import sys

from services.extractor.adapters.parser import tasks
from shared.pages.outcomes import Unreadable
from shared.sandbox.frames import Frame
from shared.sandbox.serving import Served, serve


def handle(asked: Frame) -> Served:
    wanted, [content, *_] = asked.said, asked.parts
    limits = tasks.Limits(**wanted["limits"])
    try:
        answer = tasks.TASKS[wanted["task"]](content, wanted["media_type"], limits)
    except Unreadable as error:
        return Served({"rejected": error.reason, "detail": str(error)})
    # Raw bytes travel beside the answer, not in it.
    parts = tuple(answer.pop("parts", ()))
    return Served(answer, parts, pages=int(answer.get("page_count", 1)))


def load() -> None:
    """What every PDF needs, so that none of it is looked through behind each document.
    Recognising loads its models when it is asked to."""
    from services.extractor.adapters.parser import attachments  # noqa: F401, PLC0415
    from shared.pages import pdf_layers  # noqa: F401, PLC0415


if __name__ == "__main__":
    sys.exit(serve(handle, sys.argv[1:], load=load))
