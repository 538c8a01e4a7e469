"""Second stage: one function per command, on the checkout's own environment."""

import argparse
import subprocess
from collections.abc import Callable
from pathlib import Path

from deploy.local import (
    backup,
    brokers,
    demo,
    doctor,
    fresh,
    nodes,
    packages,
    quality,
    remote,
    restore,
    rights,
    servers,
    stack,
    status,
    submission,
    tools,
    vendors,
    verifying,
    watching,
)
from deploy.local.endpoints import has_private_broker, has_private_database
from deploy.local.errors import StackError
from deploy.local.report import say
from deploy.local.state import State, changing, state_at
from shared.client import ClientError

Command = Callable[[State, argparse.Namespace, list[str]], int]


def run(options: argparse.Namespace, extra: list[str]) -> int:
    try:
        return COMMANDS[options.command](state_at(options.state), options, extra)
    except ClientError as error:
        raise StackError(str(error)) from error


def _setup(_state: State, _options: argparse.Namespace, _extra: list[str]) -> int:
    servers.install_servers(postgres=has_private_database(), rabbitmq=has_private_broker())
    say("Ready. Next: ./paperline demo")
    return 0


def _up(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    stack.up(state, with_double=options.gemini_double)
    demo.show_pages(state)
    return 0


def _down(state: State, _options: argparse.Namespace, _extra: list[str]) -> int:
    stack.down(state)
    return 0


def _status(state: State, _options: argparse.Namespace, _extra: list[str]) -> int:
    return status.show(state)


def _doctor(state: State, _options: argparse.Namespace, _extra: list[str]) -> int:
    return doctor.examine(state)


def _verify(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    return verifying.verify(state, options)


def _logs(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    if options.component:
        files = [state.log(options.component)]
    else:
        files = sorted(state.logs.glob("*.log"))
    if not files or not all(file.exists() for file in files):
        known = ", ".join(sorted(file.stem for file in state.logs.glob("*.log"))) or "none"
        raise StackError(f"no such log; there are: {known}")
    follow = ["-F"] if options.follow else []
    tail = ["tail", "-n", str(options.lines), *follow, *map(str, files)]
    return subprocess.run(tail, check=False).returncode


def _as(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    return rights.run_as(state, options.account, options.module, options.words)


def _tool(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    return tools.run_tool(state, options.program, options.words)


def _node(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    with changing(state):
        if options.action == "restart":
            nodes.restart_node(state, options.node, kill=options.kill)
        elif options.action == "stop":
            nodes.stop_node(state, options.node, kill=options.kill)
        else:
            nodes.start_nodes(state, [options.node])
    return 0


def _backup(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    return backup.backup(state, options.folder, within_s=options.within)


def _restore(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    return restore.restore(state, options.folder)


def _demo(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    return demo.demo(state, options.files, once=options.once, with_double=options.gemini_double)


def _submit(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    elsewhere = remote.told(options.url, options.key_file, options.ca_file)
    password = remote.password(from_stdin=options.password_stdin, file=options.password_file)
    return submission.submit(
        state,
        options.files,
        elsewhere,
        priority=options.priority,
        password=password,
        wait=options.wait,
    )


def _watch(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    elsewhere = remote.told(options.url, options.key_file, options.ca_file)
    orders = watching.Orders(options.once, options.priority, options.settle, options.at_once)
    return watching.watch(state, options.folder, elsewhere, orders)


def _vendors(state: State, options: argparse.Namespace, _extra: list[str]) -> int:
    return vendors.show(state, options.issuer)


def _check(_state: State, _options: argparse.Namespace, _extra: list[str]) -> int:
    return quality.check()


def _test(state: State, options: argparse.Namespace, extra: list[str]) -> int:
    if options.tier == "brokers":
        wishes = brokers.Wishes(options.on or (), options.part or (), options.all)
        return brokers.test(state, wishes, extra)
    if options.tier == "fresh":
        return fresh.test(state, options.on or (), extra)
    if options.on or options.part:
        raise StackError("--on and --part belong to `./paperline test brokers` and `… fresh`")
    return quality.test(state, options.tier, extra, slow_too=options.all)


def _bench(state: State, options: argparse.Namespace, extra: list[str]) -> int:
    return quality.bench(state, options.name, extra)


def _evaluate(_state: State, _options: argparse.Namespace, extra: list[str]) -> int:
    program = [str(packages.PYTHON), "-m", "deploy.evaluation", *extra]
    return subprocess.run(program, cwd=Path.cwd(), check=False).returncode


COMMANDS: dict[str, Command] = {
    "setup": _setup,
    "up": _up,
    "down": _down,
    "status": _status,
    "doctor": _doctor,
    "verify": _verify,
    "logs": _logs,
    "as": _as,
    "tool": _tool,
    "node": _node,
    "backup": _backup,
    "restore": _restore,
    "demo": _demo,
    "submit": _submit,
    "watch": _watch,
    "vendors": _vendors,
    "check": _check,
    "test": _test,
    "bench": _bench,
    "evaluate": _evaluate,
}
