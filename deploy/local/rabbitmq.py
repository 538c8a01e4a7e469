"""A RabbitMQ node of our own: every listener on loopback, Erlang distribution and epmd too.

epmd is started by us, not by the node, so that it listens where it should and we know its
pid: it never ends by itself. Users and rights are imported at each start from a generated
file, and again while it runs when a newer version has other ones; a user that is not in the
file when the first start happens (`guest`) never exists.
"""

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from deploy.local import broker_api, processes, servers, trees
from deploy.local.account import Account, dropping_to, node_account, node_folder, rights_of
from deploy.local.broker_node import (
    ALONE,
    DEFINITIONS,
    EPMD,
    EPMD_PORT,
    FINER,
    OWN_PORTS,
    Member,
    configuration,
    environment,
)
from deploy.local.broker_users import VHOST, definitions
from deploy.local.credentials import credentials
from deploy.local.errors import StackError
from deploy.local.starting import watch
from deploy.local.state import State

COMPONENT = ALONE.component
PORTS = ALONE.ports
START_WITHIN_S = 60.0
STOP_WITHIN_S = 30.0
# The nodes of a cluster start side by side and share one.
_starting_epmd = threading.Lock()


def amqp_url(state: State, port: int, *, user: str, host: str = "127.0.0.1") -> str:
    return f"amqp://{user}:{credentials(state)[f'broker_{user}']}@{host}:{port}/{VHOST}"


def api_url(state: State, port: int, *, user: str, host: str = "127.0.0.1") -> str:
    return f"http://{user}:{credentials(state)[f'broker_{user}']}@{host}:{port}"


def start(state: State, ports: dict[str, int], member: Member = ALONE) -> str:
    """Says what it did. Returning means the node takes connections and knows its users."""
    programs = servers.require(servers.rabbitmq_programs(), "rabbitmq-server")
    account, own = node_account(), member.own(ports)
    folder = node_folder(state, member.component, account)
    fresh = not (folder / "data").exists()
    told = {"rabbitmq.conf": configuration(folder, own, member)}
    if member.of > 1:
        told["advanced.config"] = FINER
    _write_files(state, folder, told, account)
    processes.sweep(state, member.component)
    surroundings = environment(folder, own, member)
    with _starting_epmd:
        _start_epmd(state, member, folder, surroundings, account)
    command = [str(programs / "rabbitmq-server")]
    processes.start(state, _launch(member, command, surroundings, folder, account))
    ready = watch(
        state,
        {
            member.component: {name: own[name] for name in OWN_PORTS},
            member.epmd: {EPMD: own[EPMD_PORT]},
        },
        until=lambda: _is_ready(state, own, member),
        within_s=START_WITHIN_S,
    )
    if not ready:
        raise StackError(
            f"RabbitMQ takes no connections after {START_WITHIN_S:.0f} s; "
            f"its log: ./paperline{state.named} logs {member.component}"
        )
    return "new node" if fresh else "existing node"


def renew_rights(state: State, ports: dict[str, int]) -> None:
    """Of the node that runs, whose connections and messages stay as they are."""
    account = node_account()
    folder = node_folder(state, COMPONENT, account)
    _write(folder, {DEFINITIONS: _definitions(state)}, account)
    control(state, ports, "import_definitions", str(folder / DEFINITIONS))


def stop(state: State) -> bool:
    ran = processes.stop(state, COMPONENT, patience_s=STOP_WITHIN_S)
    stop_epmd(state)
    return ran


def stop_epmd(state: State, member: Member = ALONE) -> None:
    processes.stop(state, member.epmd, patience_s=2)


def control(state: State, ports: dict[str, int], *words: str, member: Member = ALONE) -> str:
    """What `rabbitmqctl` answers to these words."""
    launch = tool(state, ports, "rabbitmqctl", *words, member=member)
    try:
        done = subprocess.run(
            launch.command,
            env=launch.environment,
            cwd=launch.folder,
            capture_output=True,
            text=True,
            timeout=STOP_WITHIN_S,
            check=False,
            **rights_of(launch.account),
        )
    except subprocess.TimeoutExpired:
        raise StackError(
            f"rabbitmqctl {words[0]} did not answer within {STOP_WITHIN_S:.0f} s: the machine "
            "is too busy, or the broker hangs"
        ) from None
    if done.returncode:
        raise StackError(f"rabbitmqctl {words[0]}: {done.stderr.strip()[-300:]}")
    return done.stdout


def tool(
    state: State, ports: dict[str, int], program: str, *words: str, member: Member = ALONE
) -> processes.Launch:
    """A program of the broker's own that reaches this node."""
    programs = servers.require(servers.rabbitmq_programs(), "rabbitmq-server")
    account = node_account()
    folder = node_folder(state, member.component, account)
    command = [str(programs / program), *words]
    return _launch(
        member, command, environment(folder, member.own(ports), member), folder, account
    )


def _launch(
    member: Member,
    command: Sequence[str],
    surroundings: dict[str, str],
    folder: Path,
    account: Account | None,
) -> processes.Launch:
    """As that account. Only root may enter a tree or another host, so rights are dropped
    inside."""
    component, tree = member.component, servers.rabbitmq_tree()
    if tree is not None:
        program = Path("/") / Path(command[0]).relative_to(tree)
        command = [*trees.with_programs_of(tree, account), str(program), *command[1:]]
    elif member.entering:
        command = [*dropping_to(account), *command]
    else:
        return processes.Launch(component, command, surroundings, folder, account)
    return processes.Launch(component, [*member.entering, *command], surroundings, folder)


def tools(state: State, ports: dict[str, int]) -> dict[str, str]:
    """Surroundings in which the broker's own programs are found and reach this node."""
    programs = servers.require(servers.rabbitmq_programs(), "rabbitmq-server")
    folder = node_folder(state, COMPONENT, node_account())
    surroundings = environment(folder, ALONE.own(ports), ALONE)
    return {**surroundings, "PATH": f"{programs}:{surroundings['PATH']}"}


def _is_ready(state: State, ports: dict[str, int], member: Member) -> bool:
    """A node that knows a generated user is ours, and has read its definitions; it lists what
    it listens on, AMQP last. What answers at a port could be anybody."""
    try:
        url = api_url(state, ports["broker_api"], user="topology", host=member.address)
        told = broker_api.get(url, "overview")
    except StackError:
        return False
    return any(
        (one["node"], one["port"]) == (member.node, ports["amqp"])
        for one in told.get("listeners", ())
    )


def _start_epmd(
    state: State,
    member: Member,
    folder: Path,
    surroundings: dict[str, str],
    account: Account | None,
) -> None:
    if processes.running(state, member.epmd):
        return
    processes.sweep(state, member.epmd)
    tree = servers.rabbitmq_tree()
    program = shutil.which("epmd", path=str(tree / "usr" / "bin") if tree else None)
    if program is None:
        raise StackError("Erlang's epmd is not on the PATH; it comes with rabbitmq-server")
    launch = _launch(member, [program], surroundings, folder, account)
    processes.start(state, replace(launch, component=member.epmd))


def _write_files(
    state: State, folder: Path, told: Mapping[str, str], account: Account | None
) -> None:
    for name in ("data", "log", "generated", "schema"):
        (folder / name).mkdir(exist_ok=True)
    files = {
        "enabled_plugins": "[rabbitmq_management,rabbitmq_prometheus].\n",
        DEFINITIONS: _definitions(state),
        ".erlang.cookie": credentials(state)["erlang_cookie"],
        **told,
    }
    _write(folder, files, account)
    (folder / ".erlang.cookie").chmod(0o400)


def _definitions(state: State) -> str:
    return json.dumps(definitions(credentials(state)), indent=2) + "\n"


def _write(folder: Path, files: Mapping[str, str], account: Account | None) -> None:
    for name, text in files.items():
        path = folder / name
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(text)
    if account is not None:
        for path in folder.iterdir():
            os.chown(path, account.uid, account.gid)
