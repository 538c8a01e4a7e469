"""A PostgreSQL cluster of our own: loopback only, passwords everywhere, made for durability.

There is no Unix socket: its path would be too long in a deep checkout, and nobody needs it.
A killed server leaves a pid file behind; it is removed only once no server of this data folder
runs any more, because two servers on one folder destroy it.
"""

import os
import signal
import subprocess
from pathlib import Path

from deploy.local import processes, servers
from deploy.local.account import Account, node_account, node_folder, rights_of
from deploy.local.credentials import credentials
from deploy.local.errors import StackError
from deploy.local.starting import watch
from deploy.local.state import State

COMPONENT = "postgres"
SUPERUSER = "postgres"
START_WITHIN_S = 30.0
STOP_WITHIN_S = 20.0
# What the lines of `postmaster.pid` tell, from the first.
PID_FILE = ("pid", "data", "since", "port", "sockets", "address", "memory", "status")


def url(state: State, port: int, *, role: str, database: str = "paperline") -> str:
    return f"postgresql://{role}:{password_of(state, role)}@127.0.0.1:{port}/{database}"


def password_of(state: State, role: str) -> str:
    return credentials(state)[f"database_{role}"]


def admin_url(state: State, port: int, *, database: str = "postgres") -> str:
    return url(state, port, role=SUPERUSER, database=database)


def start(state: State, port: int) -> str:
    """Says what it did. Returning means the server takes connections."""
    programs = servers.require(servers.postgres_programs(), "postgresql")
    account = node_account()
    folder = node_folder(state, COMPONENT, account)
    data = folder / "data"
    fresh = not (data / "PG_VERSION").exists()
    if fresh:
        _create(state, programs, data, account)
    processes.sweep(state, COMPONENT)
    _end_backends(data)
    (data / "postmaster.pid").unlink(missing_ok=True)
    launch = processes.Launch(
        COMPONENT,
        [str(programs / "postgres"), "-D", str(data), *_settings(port)],
        _environment(folder),
        folder,
        account,
    )
    pid = processes.start(state, launch).pid
    ready = watch(
        state,
        {COMPONENT: {COMPONENT: port}},
        until=lambda: _is_ready(data, pid, port),
        within_s=START_WITHIN_S,
    )
    if not ready:
        raise StackError(
            f"PostgreSQL takes no connections after {START_WITHIN_S:.0f} s; "
            f"its log: ./paperline{state.named} logs {COMPONENT}"
        )
    return "new cluster" if fresh else "existing cluster"


def family(state: State) -> set[int]:
    """All of its processes, as of a machine that is theirs alone."""
    data = node_folder(state, COMPONENT, node_account()) / "data"
    return at_work(data) | processes.family(state, COMPONENT)


def stop(state: State) -> bool:
    """SIGINT ends the sessions that are left; SIGTERM would wait for them for ever."""
    process = processes.running(state, COMPONENT)
    if process is not None:
        os.kill(process.pid, signal.SIGINT)
        processes.wait_until(lambda: not processes.alive(process), STOP_WITHIN_S)
    return processes.stop(state, COMPONENT, patience_s=0) or process is not None


def _settings(port: int) -> list[str]:
    chosen = {
        "port": str(port),
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "max_connections": "200",
        "fsync": "on",
        "synchronous_commit": "on",
        "password_encryption": "scram-sha-256",
        "timezone": "UTC",
    }
    return [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]


def _create(state: State, programs: Path, data: Path, account: Account | None) -> None:
    # A cluster without its version file is what a kill during creation left.
    subprocess.run(["rm", "-rf", str(data)], check=True)
    password = data.parent / "superuser"
    password.touch(mode=0o600)
    password.write_text(credentials(state)[f"database_{SUPERUSER}"])
    if account is not None:
        os.chown(password, account.uid, account.gid)
    words = (
        f"--username={SUPERUSER}",
        f"--pwfile={password}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C.UTF-8",
    )
    try:
        make(programs / "initdb", data, *words)
    finally:
        password.unlink()


def make(program: Path, data: Path, *words: str) -> None:
    """A cluster, by one of PostgreSQL's own programs, as the account that it will run under."""
    attempt = subprocess.run(
        [str(program), f"--pgdata={data}", "--no-sync", *words],
        env=_environment(data.parent),
        cwd=data.parent,
        capture_output=True,
        text=True,
        check=False,
        **rights_of(node_account()),
    )
    if attempt.returncode:
        raise StackError(f"{program.name} could not make a cluster:\n{attempt.stderr}")


def _environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
    }


def _is_ready(data: Path, pid: int, port: int) -> bool:
    """As our server says itself in its own folder, once it listens and lets people in. What
    answers at the port could be anybody."""
    try:
        said = (data / "postmaster.pid").read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return False
    told = dict(zip(PID_FILE, said, strict=False))
    wanted = {"pid": str(pid), "port": str(port), "status": "ready"}
    return {name: told.get(name, "").strip() for name in wanted} == wanted


def _end_backends(data: Path) -> None:
    """Sessions that outlived a killed server."""
    left = at_work(data)
    for pid in left:
        os.kill(pid, signal.SIGQUIT)
    processes.wait_until(lambda: not left & at_work(data), STOP_WITHIN_S)


def at_work(data: Path) -> set[int]:
    """The server and its sessions, which rewrite their environment and their names: the folder
    they work in tells whose they are."""
    return {pid for pid in processes.working_in(data) if processes.program(pid) == COMPONENT}
