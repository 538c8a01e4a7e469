"""`python -m tests.gemini_double --port 0`: prints its URL, and serves until it is ended.

`--scenario FILE.json` is a list of what would be posted to `/__double__/mode`; `--scenario
NAME` is a mode for ever; `--delay 3` is how long the model thinks about every answer.
"""

import argparse
import asyncio
import json
import signal
from collections.abc import Sequence
from pathlib import Path

from tests.gemini_double.script import MODES, Step
from tests.gemini_double.server import GeminiDouble


def _steps(scenario: str, delay_s: float) -> list[Step]:
    if scenario in MODES:
        return [Step(scenario, {"delay_s": delay_s} if delay_s else {})]
    return [Step(**one) for one in json.loads(Path(scenario).read_text())]


async def _serve(host: str, port: int, key: str | None, steps: Sequence[Step]) -> None:
    double = await GeminiDouble(key).start(port, host)
    for step in steps:
        double.script.tell(step)
    print(double.url, flush=True)
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await ended.wait()
    await double.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.gemini_double", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--host", default="127.0.0.1", help="a container has to say 0.0.0.0")
    parser.add_argument("--key", help="the only one it takes (default: any but `wrong`)")
    parser.add_argument("--scenario", default="ok", help="a mode or a file of steps")
    parser.add_argument("--delay", type=float, default=0, metavar="S")
    told = parser.parse_args()
    asyncio.run(_serve(told.host, told.port, told.key, _steps(told.scenario, told.delay)))


if __name__ == "__main__":
    main()
