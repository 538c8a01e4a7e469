"""The commands that the READMEs and guides show, as a reader would type them.

A fenced block of `sh` is taken command by command, with what it says is answered; of a block
without a language the lines count that begin with a program, up to the first wide gap; of the
text, what stands between backticks and begins with a program. `CHANGELOG.md` is history: what
it shows was right once.
"""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.house.repository import ROOT, SERVICES, Source, files

# Its commands are for a checkout that has been changed; what it shares with others is theirs.
APART = "deploy/ADDING_A_JOB_TYPE.md"
SHELLS = ("sh", "bash")
PROGRAM = re.compile(
    r"(?:[A-Z][A-Z_0-9]*=\S+ )*"
    # These are commands also alone; a name alone is only spoken of.
    r"(?:(?:deploy/lock\.sh|\.ci/run)(?=$|\s)"
    r"|(?:\./paperline|\.venv/bin/[\w.-]+|python3?|curl|df|docker|git|helm|kubectl|openssl"
    r"|pg_\w+|promtool|psql|rabbitmq[\w-]+|SELECT) )"
)
# Commands that need more words: without them they are only spoken of.
SPOKEN_OF = frozenset(
    {
        *(
            f"./paperline {one}"
            for one in ("as", "backup", "evaluate", "restore", "submit", "watch")
        ),
        *(f"python -m shared.{one}" for one in ("access", "audit", "topology")),
    }
)
_FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`]+)`")
_HERE = re.compile(r"<<-?\s*['\"]?(\w+)")
_BLOCKS = (("do", "done"), ("then", "fi"), ("case", "esac"))
_ANSWER = "# {"


@dataclass(frozen=True, slots=True)
class Shown:
    """A command, where it stands first, and what is said to be answered (fields of JSON)."""

    guide: str
    line: int
    text: str
    answer: str = ""

    def __str__(self) -> str:
        return f"{self.guide}:{self.line}"

    @property
    def fields(self) -> Any:  # noqa: ANN401 -- any JSON
        """What the answer has; `…` stands for more of the same kind."""
        return json.loads(re.sub(r",? *…(?=\s*[}\]])", "", self.answer)) if self.answer else {}


def guides() -> list[Source]:
    ours = [Source(ROOT / name) for name in ("README.md", "CONTRIBUTING.md")]
    ours += [Source(ROOT / "services" / name / "README.md") for name in SERVICES]
    return ours + files("deploy", suffix=".md")


@cache
def commands() -> tuple[Shown, ...]:
    """Each once, however many guides show it."""
    found: dict[str, Shown] = {}
    for guide in sorted(guides(), key=lambda one: str(one) == APART):
        for one in shown_in(guide.text(), str(guide)):
            known = found.setdefault(one.text, one)
            if one.answer and not known.answer:
                found[one.text] = one
    return tuple(found.values())


def shown_in(text: str, guide: str) -> Iterator[Shown]:
    plain = list(text)
    for fence in _FENCE.finditer(text):
        plain[fence.start() : fence.end()] = [
            "\n" if one == "\n" else " " for one in fence.group()
        ]
        first = text.count("\n", 0, fence.start(3)) + 1
        lines = [line.removeprefix(fence[1]) for line in fence[3].splitlines()]
        if fence[2] in SHELLS:
            yield from _scripted(lines, guide, first)
        elif not fence[2]:
            yield from _listed(lines, guide, first)
    yield from _spoken("".join(plain), guide)


def _scripted(lines: list[str], guide: str, first: int) -> Iterator[Shown]:
    pending: list[str] = []
    found: list[Shown] = []
    for number, line in enumerate(lines, first):
        if not pending and (not line.strip() or line.startswith("#")):
            if line.startswith(_ANSWER) and found:
                last = found.pop()
                found.append(Shown(last.guide, last.line, last.text, line[2:]))
            continue
        pending.append(line)
        text = "\n".join(pending)
        if _is_whole(text):
            found.append(Shown(guide, number - len(pending) + 1, text))
            pending = []
    if pending:
        raise AssertionError(f"{guide}:{first}: a command without an end: {pending[0]}")
    yield from found


def _is_whole(text: str) -> bool:
    if text.endswith("\\"):
        return False
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        return False
    here = _HERE.search(text)
    if here and not re.search(rf"^{here[1]}$", text, re.MULTILINE):
        return False
    return all(words.count(begins) <= words.count(ends) for begins, ends in _BLOCKS)


def _listed(lines: list[str], guide: str, first: int) -> Iterator[Shown]:
    for number, line in enumerate(lines, first):
        if PROGRAM.match(line):
            yield Shown(guide, number, re.split(r"\s{2,}", line)[0])


def _spoken(text: str, guide: str) -> Iterator[Shown]:
    for code in _INLINE.finditer(text):
        # In a table a bar is written with a backslash.
        command = " ".join(code[1].split()).replace("\\|", "|")
        if PROGRAM.match(command) and command not in SPOKEN_OF:
            yield Shown(guide, text.count("\n", 0, code.start()) + 1, command)
