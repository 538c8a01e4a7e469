"""A RabbitMQ node of our own: every listener on loopback, Erlang distribution and epmd too.

epmd is started by us, not by the node, so that it listens where it should and we know its
pid: it never ends by itself. Users and rights are imported at each start from a generated
file; a user that is not in the file when the first start happens (`guest`) never exists.
"""

import json
import os
import shutil
import socket
import subprocess
from pathlib import Path

from deploy.local import broker_api, processes, servers
from deploy.local.account import Account, node_account, node_folder
from deploy.local.broker_users import VHOST, definitions
from deploy.local.credentials import credentials
from deploy.local.errors import StackError
from deploy.local.state import State

COMPONENT = "rabbitmq"
EPMD = "epmd"
PORTS = ("amqp", "broker_api", "broker_metrics", "erlang_distribution", "epmd")
START_WITHIN_S = 60.0
STOP_WITHIN_S = 30.0


def amqp_url(state: State, port: int, *, user: str) -> str:
    return f"amqp://{user}:{credentials(state)[f'broker_{user}']}@127.0.0.1:{port}/{VHOST}"


def api_url(state: State, port: int, *, user: str) -> str:
    return f"http://{user}:{credentials(state)[f'broker_{user}']}@127.0.0.1:{port}"


def start(state: State, ports: dict[str, int]) -> str:
    """Says what it did. Returning means the node takes connections and knows its users."""
    programs = servers.require(servers.rabbitmq_programs(), "rabbitmq-server")
    account = node_account()
    folder = node_folder(state, COMPONENT, account)
    fresh = not (folder / "data").exists()
    _write_files(state, folder, ports, account)
    processes.sweep(state, COMPONENT)
    environment = _environment(folder, ports)
    _start_epmd(state, folder, environment, account)
    launch = processes.Launch(
        COMPONENT, [str(programs / "rabbitmq-server")], environment, folder, account
    )
    process = processes.start(state, launch)
    ready = processes.wait_until(
        lambda: _is_ready(state, ports) or not processes.alive(process),
        START_WITHIN_S,
    )
    if not ready or not processes.alive(process):
        raise StackError(f"RabbitMQ did not start; its log: {state.log(COMPONENT)}")
    return "new node" if fresh else "existing node"


def stop(state: State) -> bool:
    ran = processes.stop(state, COMPONENT, patience_s=STOP_WITHIN_S)
    processes.stop(state, EPMD, patience_s=2)
    return ran


def control(state: State, ports: dict[str, int], *words: str) -> str:
    """What `rabbitmqctl` answers to these words."""
    programs = servers.require(servers.rabbitmq_programs(), "rabbitmq-server")
    account = node_account()
    folder = node_folder(state, COMPONENT, account)
    done = subprocess.run(
        [str(programs / "rabbitmqctl"), *words],
        env=_environment(folder, ports),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=STOP_WITHIN_S,
        check=False,
        user=None if account is None else account.uid,
        group=None if account is None else account.gid,
    )
    if done.returncode:
        raise StackError(f"rabbitmqctl {words[0]}: {done.stderr.strip()[-300:]}")
    return done.stdout


def _is_ready(state: State, ports: dict[str, int]) -> bool:
    """Knowing a generated user means definitions are imported; the listener opens last."""
    try:
        broker_api.get(api_url(state, ports["broker_api"], user="topology"), "whoami")
        socket.create_connection(("127.0.0.1", ports["amqp"]), timeout=1).close()
    except (StackError, OSError):
        return False
    return True


def _start_epmd(
    state: State, folder: Path, environment: dict[str, str], account: Account | None
) -> None:
    if processes.running(state, EPMD):
        return
    processes.sweep(state, EPMD)
    program = shutil.which("epmd")
    if program is None:
        raise StackError("Erlang's epmd is not on the PATH; it comes with rabbitmq-server")
    processes.start(state, processes.Launch(EPMD, [program], environment, folder, account))


def _write_files(
    state: State, folder: Path, ports: dict[str, int], account: Account | None
) -> None:
    for name in ("data", "log", "generated", "schema"):
        (folder / name).mkdir(exist_ok=True)
    files = {
        "enabled_plugins": "[rabbitmq_management,rabbitmq_prometheus].\n",
        "definitions.json": json.dumps(definitions(credentials(state)), indent=2) + "\n",
        "rabbitmq.conf": _configuration(folder, ports),
        ".erlang.cookie": credentials(state)["erlang_cookie"],
    }
    for name, text in files.items():
        path = folder / name
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(text)
    (folder / ".erlang.cookie").chmod(0o400)
    if account is not None:
        for path in folder.iterdir():
            os.chown(path, account.uid, account.gid)


def _configuration(folder: Path, ports: dict[str, int]) -> str:
    lines = {
        "listeners.tcp.default": f"127.0.0.1:{ports['amqp']}",
        "management.tcp.ip": "127.0.0.1",
        "management.tcp.port": ports["broker_api"],
        "prometheus.tcp.ip": "127.0.0.1",
        "prometheus.tcp.port": ports["broker_metrics"],
        "load_definitions": folder / "definitions.json",
        "default_vhost": VHOST,
        "log.console": "true",
        "log.console.level": "info",
        "vm_memory_high_watermark.absolute": "400MiB",
        "disk_free_limit.absolute": "100MB",
        "collect_statistics_interval": 1000,
    }
    return "".join(f"{name} = {value}\n" for name, value in lines.items())


def _environment(folder: Path, ports: dict[str, int]) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "LANG": "C.UTF-8",
        "HOME": str(folder),
        "ERL_EPMD_PORT": str(ports["epmd"]),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        # Lets the start script become the node, so the pid we know is the node's.
        "RUNNING_UNDER_SYSTEMD": "true",
        "RABBITMQ_CONF_ENV_FILE": os.devnull,
        "RABBITMQ_NODENAME": "paperline@localhost",
        "RABBITMQ_DIST_PORT": str(ports["erlang_distribution"]),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
        "RABBITMQ_GENERATED_CONFIG_DIR": str(folder / "generated"),
        "RABBITMQ_SCHEMA_DIR": str(folder / "schema"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": ("-kernel inet_dist_use_interface {127,0,0,1}"),
    }
