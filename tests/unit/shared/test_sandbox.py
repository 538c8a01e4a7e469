"""The child process: whatever a file does to it, it ends with an outcome and is gone."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from shared.errors import Rejected
from shared.sandbox.child import ROOT, Bounds, Child

BOUNDS = Bounds(memory_bytes=1024**3, cpu_s=10, wall_s=30, answer_bytes_max=1024**2, at_once=2)
CONFINED = (
    "import sys; from shared.sandbox.chains import confine\n"
    "confine(memory_bytes=int(sys.argv[1]), cpu_s=int(sys.argv[2]))\n"
)


def child(folder: Path, program: str, bounds: Bounds = BOUNDS) -> Child:
    (folder / "hostile.py").write_text(program)
    # As in a checkout: what we share lies beside it.
    (folder / "shared").symlink_to(ROOT / "shared")
    return Child("hostile", bounds, root=folder)


async def test_what_the_child_answers_is_returned(tmp_path: Path) -> None:
    program = "import sys; print(sys.argv[3:], len(sys.stdin.buffer.read()))"

    answer = await child(tmp_path, program).ask(b"%PDF" * 50_000, (20, 7))

    assert answer == b"['20', '7'] 200000\n"


@pytest.mark.parametrize(
    ("program", "bounds", "reason"),
    [
        pytest.param("import os; os.abort()", BOUNDS, "parser_crashed", id="a crash"),
        pytest.param("import sys; sys.exit(3)", BOUNDS, "parser_crashed", id="an exit code"),
        pytest.param(
            "import sys; sys.stdin.read()\nwhile True: print('x' * 65536)",
            BOUNDS,
            "too_large",
            id="an answer without end",
        ),
        pytest.param(
            "import signal; signal.pause()",
            replace(BOUNDS, wall_s=0.5),
            "parser_timeout",
            id="a child that hangs",
        ),
        pytest.param(
            CONFINED + "while True: pass",
            replace(BOUNDS, cpu_s=1),
            "parser_timeout",
            id="a child that computes for ever",
        ),
        pytest.param(
            CONFINED + "bytes(2 * 1024**3)", BOUNDS, "parser_crashed", id="too much memory"
        ),
        pytest.param(
            CONFINED + "open('left', 'w').write('x' * 65536)",
            BOUNDS,
            "parser_crashed",
            id="a child that writes",
        ),
    ],
)
async def test_whatever_ends_the_child_is_an_outcome(
    program: str, bounds: Bounds, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(Rejected) as refused:
        await child(tmp_path, program, bounds).ask(b"%PDF" * 50_000)

    assert refused.value.reason == reason


async def test_a_cancelled_call_leaves_no_child_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[asyncio.subprocess.Process] = []
    start = Child._start

    async def watched(self: Child, arguments: tuple[int, ...]) -> asyncio.subprocess.Process:
        started.append(await start(self, arguments))
        return started[0]

    monkeypatch.setattr(Child, "_start", watched)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await child(tmp_path, "import signal; signal.pause()").ask(b"")

    assert started[0].returncode is not None


async def test_the_child_sees_no_secret_of_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLINE_DATABASE_URL", "postgresql://secret")

    seen = await child(tmp_path, "import os; print(sorted(os.environ))").ask(b"")

    assert seen in (b"[]\n", b"['LC_CTYPE']\n")
