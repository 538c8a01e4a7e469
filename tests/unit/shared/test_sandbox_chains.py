"""What a child cannot do, whatever a file makes it try: and it does not outlive its parent."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shared.sandbox.worker import ROOT
from tests.eventually import eventually
from tests.unit.shared.children import PROGRAM, Lend, do, folder_with, is_gone, lending


@pytest.fixture
async def lend(tmp_path: Path) -> AsyncIterator[Lend]:
    async with lending(tmp_path) as lend:
        yield lend


async def test_a_child_ends_with_its_parent_also_in_the_middle_of_a_document(
    tmp_path: Path,
) -> None:
    folder_with(PROGRAM, tmp_path)
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT, str(tmp_path)),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    so_far = ticks_of(child)
    # Only a document keeps it busy.
    await eventually(lambda: ticks_of(child) > so_far + 5)

    parent.kill()
    await parent.wait()

    await eventually(lambda: is_gone(child), within_s=3)


def ticks_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().split()[13])


PARENT = """
import asyncio, sys
from pathlib import Path
from tests.unit.shared.children import KIND
from shared.sandbox.frames import Frame
from shared.sandbox.pool import Pool

async def main():
    pool = Pool(KIND, root=Path(sys.argv[1]))
    print((await pool.ask(Frame({}))).said["pid"], flush=True)
    await pool.ask(Frame({}, (b"spin()",)))

asyncio.run(main())
"""


async def test_the_child_sees_no_secret_of_its_parent(
    lend: Lend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLINE_DATABASE_URL", "postgresql://secret")

    seen = await do(lend(), "sorted(os.environ)")

    assert seen in ("[]", "['LC_CTYPE']")


@pytest.mark.parametrize(
    ("what", "outcome"),
    [
        ("socket.socket()", "PermissionError"),
        ("subprocess.run(['/bin/true'])", "PermissionError"),
        ("os.fork()", "PermissionError"),
        ("os.kill(os.getppid(), 0)", "PermissionError"),
        ("Path('left').write_text('x')", "OSError"),
    ],
)
async def test_what_a_parser_never_needs_is_refused(
    what: str, outcome: str, lend: Lend
) -> None:
    assert await do(lend(), f"refused(lambda: {what})") == f"'{outcome}'"


async def test_a_parser_may_have_threads_and_what_it_prints_is_no_answer(lend: Lend) -> None:
    pool = lend()

    assert await do(pool, "in_a_thread()") == "['ran']"
    assert await do(pool, "print_much()") == "None"
