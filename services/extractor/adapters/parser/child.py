"""The process that opens an untrusted file. It has nothing to lose and nothing to steal.

It is started with an empty environment, puts itself in chains before it looks at the first
byte, reads one line that says what is wanted and then the document, and answers with one JSON
object. Whatever a file does to the parser, only this process dies of it.
"""

import json
import sys
from dataclasses import dataclass

from services.extractor.adapters.parser import tasks
from services.extractor.adapters.parser.answers import Answer
from services.extractor.adapters.parser.outcomes import Unreadable
from shared.sandbox.chains import confine


@dataclass(frozen=True, slots=True)
class Bounds:
    """Given on the command line, so that the child needs no settings and no environment."""

    memory_bytes: int
    cpu_s: int
    pages: int
    chars: int


def main(arguments: list[str]) -> int:
    bounds = Bounds(*map(int, arguments))
    confine(memory_bytes=bounds.memory_bytes, cpu_s=bounds.cpu_s)
    given = sys.stdin.buffer
    wanted = json.loads(given.readline())
    limits = tasks.Limits(bounds.pages, bounds.chars)
    json.dump(_answer(wanted, given.read(), limits), sys.stdout)
    return 0


def _answer(wanted: Answer, content: bytes, limits: tasks.Limits) -> Answer:
    try:
        return tasks.TASKS[wanted["task"]](content, wanted["media_type"], limits)
    except Unreadable as error:
        return {"rejected": error.reason, "detail": str(error)}
    except MemoryError:
        return {"rejected": "too_large", "detail": "the parser ran out of memory"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
