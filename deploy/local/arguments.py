"""The commands and their options. Standard library only: `help` works before any setup."""

import argparse
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from deploy.local.credentials import SERVICES
from deploy.verify.arguments import add_common

TIERS = ("house", "unit", "contract", "conformance", "broker", "system")
# Minutes each, and nothing of the daily run: by their names, and some of them with `--all`.
LONG_TIERS = (
    *("containers", "crashes", "nemesis", "soak", "teeth"),
    *("upgrade", "brokers", "fresh"),
)
# Whose rights a module may be run with: a service's, or those to declare queues.
ACCOUNTS = (*SERVICES, "topology")
# Of the private servers themselves.
TOOLS = ("psql", "rabbitmqctl", "rabbitmq-diagnostics")
SETTLE_S_MAX, AT_ONCE_MAX = 3_600, 32
PRIORITIES = ("bulk", "normal", "high", "urgent")
BY_NAME = """Long, and left out unless named; `--all` runs all but containers and fresh: of
nemesis one seed, of soak ten minutes, of brokers a cluster and cut networks on this machine.
The last two need root on Debian or Ubuntu:

  containers   the images and the compose file, really built and brought up
  crashes      a process dies, fails or is held at every instant that the code names.
               --sample 40 --seed 7: so many of all cases
  nemesis      troubles of all kinds at once, by a plan that follows from a seed
  soak         steady work with rolling restarts: nothing is lost, nothing grows.
               --minutes 120, --rate 2 (documents a second), --restart-minutes 5
  teeth        each of our safeguards taken away: some test has to fail
  upgrade      two versions side by side, there and back, under load. --from REVISION: the
               older one (default: the last before migrations or messages changed)
  brokers      every promise on other brokers. --on machine | trixie | sid: the RabbitMQ of
               this machine, or that of a Debian suite, in a tree below the state folder.
               --part broker | cluster | cuts | system | rolling: the tests that speak to a
               broker, three nodes that are killed, three hosts whose network is cut, the
               system suite, and the same on three nodes that are killed one by one all the
               while. --all: slow tests too
  fresh        `./paperline demo --once` and `./paperline test` of the committed HEAD, in a
               Debian that holds Python and nothing else. Words behind it choose: demo, test,
               or tiers (fresh demo unit). --on bookworm | trixie
"""
AddParser = Callable[..., argparse.ArgumentParser]
INTRODUCTION = """Turns invoices into verified data. Start here:

  ./paperline demo             read the sample invoices and show where to look
  ./paperline submit *.pdf     read your own
  ./paperline watch FOLDER     read whatever is dropped into it
"""
SURROUNDINGS = """Environment: PAPERLINE_STATE (the state folder), DATABASE_URL, AMQP_URL
(with AMQP_API_URL), S3_ENDPOINT (with S3_ACCESS_KEY, S3_SECRET_KEY, S3_BUCKET): use these
servers instead of private ones; PAPERLINE_OTLP_ENDPOINT: send traces there; PAPERLINE_URL and
PAPERLINE_KEY: submit and watch speak to this API instead of the stack's."""


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="./paperline",
        description=INTRODUCTION,
        epilog=SURROUNDINGS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--state", metavar="DIR", help="state folder (default .paperline)")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _stack_commands(commands.add_parser)
    _keeping_commands(commands.add_parser)
    _document_commands(commands.add_parser)
    _quality_commands(commands.add_parser)
    return top


def _command(add: AddParser, name: str, text: str) -> argparse.ArgumentParser:
    made = add(name, help=text, description=text)
    # Also after the command; absent, it must not overwrite what stood before it.
    made.add_argument(
        "--state", metavar="DIR", default=argparse.SUPPRESS, help="state folder of the stack"
    )
    return made


def _stack_commands(add: AddParser) -> None:
    _command(add, "setup", "install Python packages and server programs")
    _with_the_double(_command(add, "up", "start the stack, or bring a running one up to date"))
    _command(add, "down", "stop the stack; its data stays")
    _command(add, "status", "what runs, since when and where")
    _command(
        add,
        "doctor",
        "is it closed, and is it well? addresses, keys, versions, disk, queues, work",
    )
    verify = _command(
        add, "verify", "does it keep its promises? 0: all hold, 1: broken, 2: cannot be judged"
    )
    add_common(verify)
    logs = _command(add, "logs", "the logs of one service or of all")
    logs.add_argument("component", nargs="?", help=f"{', '.join(SERVICES)}, postgres, rabbitmq")
    logs.add_argument("-f", "--follow", action="store_true", help="keep printing what comes")
    logs.add_argument("-n", "--lines", type=int, default=50, help="lines to begin with")
    run_as = _command(
        add, "as", "a module of the system, with the addresses and rights of an account"
    )
    run_as.add_argument("account", choices=ACCOUNTS, help=", ".join(ACCOUNTS))
    run_as.add_argument("module", help="such as shared.access, shared.audit, shared.topology")
    run_as.add_argument("words", nargs=argparse.REMAINDER, help="what it is told")
    tool = _command(add, "tool", "a program of the private PostgreSQL or RabbitMQ, at it")
    tool.add_argument("program", choices=TOOLS, help=", ".join(TOOLS))
    tool.add_argument("words", nargs=argparse.REMAINDER, help="what it is told")
    node = _command(add, "node", "start, stop or restart one private server")
    node.add_argument("action", choices=("start", "stop", "restart"))
    node.add_argument("node", choices=("postgres", "rabbitmq"))
    node.add_argument("--kill", action="store_true", help="stop it as a crash would")


def _keeping_commands(add: AddParser) -> None:
    backup = _command(add, "backup", "copy all that matters into a new folder, while it works")
    backup.add_argument("folder", type=Path, metavar="FOLDER")
    backup.add_argument(
        "--within",
        type=_seconds,
        default=60.0,
        metavar="S",
        help="how long nothing is sent at most, while the queues are emptied (default 60)",
    )
    restore = _command(add, "restore", "a stack as it was when a backup of it was taken")
    restore.add_argument("folder", type=Path, metavar="FOLDER")


def _document_commands(add: AddParser) -> None:
    demo = _command(add, "demo", "setup, start, read documents, show results and pages")
    demo.add_argument("--once", action="store_true", help="end when all documents have ended")
    _with_the_double(demo)
    demo.add_argument("files", nargs="*", type=Path, metavar="FILE")
    submit = _command(add, "submit", "give documents to the running stack")
    submit.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="documents, folders, ZIPs of them"
    )
    submit.add_argument(
        "--wait", action="store_true", help="until all have ended; show a table"
    )
    locked = submit.add_mutually_exclusive_group()
    locked.add_argument(
        "--password-stdin", action="store_true", help="of locked PDFs, from standard input"
    )
    locked.add_argument(
        "--password-file", type=Path, metavar="FILE", help="the same, from a file's first line"
    )
    _for_another_stack(submit)
    watch = _command(
        add, "watch", "hand in what appears in a folder; done/ and failed/ take it"
    )
    watch.add_argument("folder", type=Path, metavar="FOLDER")
    watch.add_argument("--once", action="store_true", help="end when what is there has ended")
    watch.add_argument(
        "--settle",
        type=_seconds,
        default=2.0,
        metavar="S",
        help="a file is whole when it has not changed for so many seconds (default 2)",
    )
    watch.add_argument(
        "--at-once", type=_count, default=8, metavar="N", help="files under way (default 8)"
    )
    _for_another_stack(watch)
    vendors = _command(add, "vendors", "what is remembered of issuers")
    vendors.add_argument("issuer", nargs="?", help="only those whose key contains this")


def _with_the_double(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--gemini-double",
        action="store_true",
        help="a stand-in for the model's provider: two readers without a key",
    )


def _for_another_stack(command: argparse.ArgumentParser) -> None:
    command.add_argument("--priority", choices=PRIORITIES, default="normal")
    command.add_argument("--url", help="an API elsewhere (PAPERLINE_URL), not this stack's")
    command.add_argument(
        "--key-file", type=Path, metavar="FILE", help="the key for it (or PAPERLINE_KEY)"
    )
    command.add_argument(
        "--ca-file",
        type=Path,
        metavar="FILE",
        help="who has to have certified it, as PEM (or PAPERLINE_CA_FILE)",
    )


def _seconds(text: str) -> float:
    # Of what is no number and of what is none of these, a person is told the same.
    with suppress(ValueError):
        if 0 <= (seconds := float(text)) <= SETTLE_S_MAX:
            return seconds
    raise argparse.ArgumentTypeError(f"0 to {SETTLE_S_MAX} seconds, not {text!r}")


def _count(text: str) -> int:
    with suppress(ValueError):
        if 1 <= (count := int(text)) <= AT_ONCE_MAX:
            return count
    raise argparse.ArgumentTypeError(f"1 to {AT_ONCE_MAX} files, not {text!r}")


def _quality_commands(add: AddParser) -> None:
    _command(add, "check", "format, lint, types, import contracts, house tests")
    test = _command(add, "test", "the tests, or one tier; unknown options go to pytest")
    test.formatter_class = argparse.RawDescriptionHelpFormatter
    test.epilog = BY_NAME
    test.add_argument("tier", nargs="?", choices=(*TIERS, *LONG_TIERS))
    test.add_argument(
        "--all",
        action="store_true",
        help="also the tests marked slow, crashes, teeth and nemesis",
    )
    test.add_argument(
        "--on", action="append", metavar="WHICH", help="of brokers or fresh: only on this"
    )
    test.add_argument(
        "--part", action="append", metavar="PART", help="of brokers: only this part"
    )
    bench = _command(add, "bench", "a benchmark; without a name, which there are")
    bench.add_argument("name", nargs="?")
    add(
        "evaluate",
        help="how well the engines read a folder of documents with known answers",
        add_help=False,
    )
    _command(add, "help", "this text")
