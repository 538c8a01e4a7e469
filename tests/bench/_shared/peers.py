"""Other job systems on the same work, measured by a driver of their own that is not ours.

The folder holds `run.py`, which takes `--systems`, `--documents`, `--rounds`, `--state`,
`--fsync` and `--json FILE`, brings its own servers and packages, and ends with 0 when what was
done was checked and is right. Who has no such folder is told so, and gets our own baseline.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic_settings import BaseSettings, SettingsConfigDict

from tests.bench._shared.report import folder, say
from tests.bench._shared.side_by_side import Measured

SYSTEMS = ("celery-redis", "dramatiq")


class _Given(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="PAPERLINE_")

    # Where the driver lies, unless an option says it.
    peers: Path | None = None


def peers_at(given: Path | None) -> Path | None:
    """The driver's folder. None without one, which is then said."""
    chosen = given or _Given().peers
    if chosen is None:
        say("no other job systems beside it: --peers FOLDER or PAPERLINE_PEERS names a driver")
        return None
    if not (chosen / "run.py").is_file():
        raise SystemExit(f"{chosen} holds no run.py")
    return chosen.absolute()


async def measure_peers(
    driver: Path, systems: Sequence[str], documents: int, *, sync: bool
) -> Mapping[str, Measured]:
    """Those that came to a right end; of the others the driver's own words are in the log."""
    told, log = folder() / "peers.json", folder() / "peers.log"
    told.unlink(missing_ok=True)
    # Their servers run as somebody who may not look into our state folder.
    state = Path(tempfile.gettempdir()) / "paperline-peers"
    words = ("--systems", ",".join(systems), "--documents", str(documents), "--rounds", "1")
    # It imports what lies beside it, which our own programs are kept from.
    program = ("env", "-u", "PYTHONSAFEPATH", "-u", "PYTHONPATH", sys.executable, "run.py")
    command = (*program, *words, "--state", str(state), "--json", str(told))
    with log.open("ab") as file:
        process = await asyncio.create_subprocess_exec(
            *command, *(["--fsync"] if sync else []), cwd=driver, stdout=file, stderr=file
        )
        code = await process.wait()
    if code or not told.exists():
        say(f"the driver of the other systems ended with {code}: see {log}")
    if not told.exists():
        return {}
    found: dict[str, Any] = json.loads(told.read_text())["systems"]
    return {name: _measured(one["median"]) for name, one in found.items() if one["median"]}


def _measured(median: Mapping[str, Any]) -> Measured:
    parts = {name: float(us) for name, us in median["cpu_us"].items() if us is not None}
    return Measured(median["rate"], parts, median["other_cores"])
