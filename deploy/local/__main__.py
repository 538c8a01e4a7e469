"""First stage: understands the command line and makes sure the packages are there.

Everything after this stage runs on the checkout's own Python environment, so this file and
what it imports must do with the standard library.
"""

import importlib
import os
import signal
import sys
from types import FrameType

from deploy.local import packages
from deploy.local.arguments import parser
from deploy.local.errors import StackError
from deploy.local.report import complain

# These look at or end what exists; with no environment there is nothing to look at.
NEEDS_A_SETUP = (
    *("down", "status", "logs", "doctor", "verify", "submit", "watch", "vendors", "as", "node"),
    *("tool", "backup"),
)
TERMINATED = 128 + signal.SIGTERM


def main() -> int:
    signal.signal(signal.SIGTERM, _end)
    command_line = parser()
    options, extra = command_line.parse_known_args()
    if extra and options.command not in ("test", "bench", "evaluate"):
        command_line.error(f"unknown: {' '.join(extra)}")
    if options.command == "help":
        command_line.print_help()
        return 0
    try:
        _be_inside_the_environment(options.command)
        commands = importlib.import_module("deploy.local.commands")
        return int(commands.run(options, extra))
    except StackError as error:
        complain(f"paperline: {error}")
        return 1
    except KeyboardInterrupt:
        complain("paperline: interrupted")
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # Whoever read our output has seen enough (`| head`).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _be_inside_the_environment(command: str) -> None:
    if command in NEEDS_A_SETUP:
        if not packages.PYTHON.exists():
            raise StackError("nothing is set up here yet: ./paperline setup")
    elif not packages.packages_are_current():
        packages.install_packages()
    if not packages.inside_venv():
        arguments = [str(packages.PYTHON), "-m", "deploy.local", *sys.argv[1:]]
        os.execv(packages.PYTHON, arguments)  # noqa: S606 -- our own Python, no shell


def _end(_number: int, _frame: FrameType | None) -> None:
    """As an exit, so that what was started for the duration of a command is stopped."""
    sys.exit(TERMINATED)


if __name__ == "__main__":
    sys.exit(main())
