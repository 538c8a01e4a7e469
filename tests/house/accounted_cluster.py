"""A cluster that runs nothing and keeps account: what each command makes, and what it needs.

The guide is typed in a shell in which `kubectl`, `kind` and `docker` only write down what they
were asked. Read in that order, a command that needs what is not there yet is found, and so is
a secret of which a manifest knows another name, type or key.
"""

import json
import re
import shlex
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.house.repository import ROOT

Manifest = dict[str, Any]
PROGRAMS = ("kubectl", "kind", "docker")
# One line for each call; what is handed to it is kept under the number of that line. To build
# an overlay no cluster is asked: that is really done.
_WRITES_DOWN = """\
#!/bin/sh
[ "$1" != kustomize ] || exec {builds} "$2"
printf '%s\\037' "$(basename "$0")" "$@" >> calls
echo >> calls
[ -t 0 ] || cat > "input.$(wc -l < calls)"
"""
_OF_OPERATORS = {r"(.+)-server-0": "RabbitmqCluster", r"service/(.+)-rw": "Cluster"}
BASIC_AUTH, TLS, OPAQUE = "kubernetes.io/basic-auth", "kubernetes.io/tls", "Opaque"


@dataclass(frozen=True, slots=True)
class Secret:
    kind: str
    keys: dict[str, str]


@dataclass(frozen=True, slots=True)
class Call:
    words: list[str]
    input: Path


def typed(
    commands: Sequence[str], folder: Path, builder: Sequence[str], variables: Mapping[str, str]
) -> list[Call]:
    """What the programs were asked, in this order."""
    programs = folder / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).write_text(_WRITES_DOWN.replace("{builds}", shlex.join(builder)))
        (programs / name).chmod(0o755)
    (folder / "deploy").symlink_to(ROOT / "deploy")
    told = [f"{name}={text}" for name, text in variables.items()]
    for number, command in enumerate(commands, 1):
        done = subprocess.run(
            ["env", *told, "bash", "-euc", f'PATH="{programs}:$PATH"\n{command}'],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"command {number}:\n{command}\n{done.stderr}"
    lines = (folder / "calls").read_text().splitlines()
    return [
        Call(line.split("\037")[:-1], folder / f"input.{number}")
        for number, line in enumerate(lines, 1)
    ]


@dataclass
class Cluster:
    """Objects and secrets by namespace; of what is applied, what it refers to is there."""

    folder: Path
    # What operators brought along.
    namespaces: set[str]
    built: Callable[[str], Sequence[Manifest]]
    secrets: dict[tuple[str, str], Secret] = field(default_factory=dict)
    applied: dict[tuple[str, str, str], Manifest] = field(default_factory=dict)
    built_images: set[str] = field(default_factory=set)
    # Where its nodes find them: loaded into these, or in a registry.
    images: set[str] = field(default_factory=set)
    definitions: Manifest = field(default_factory=dict)
    # In its order: each object that was applied, and what else was asked.
    said: list[str] = field(default_factory=list)

    def does(self, call: Call) -> None:
        program, *words = call.words
        if program == "kubectl":
            self._kubectl(words, call.input)
        elif words[:1] == ["build"]:
            self.built_images.add(words[words.index("-t") + 1])
        elif words[0] in ("load", "push"):
            image = next(one for one in words if "paperline-" in one)
            assert image in self.built_images, f"{image} is to be had before it is built"
            self.images.add(image)

    def _kubectl(self, words: list[str], given: Path) -> None:
        told, rest = _options(words)
        [namespace] = told.get("-n", ["default"])
        assert namespace in self.namespaces, f"{words}: there is no namespace {namespace}"
        if rest[0] == "apply":
            self._apply(told, given)
            return
        self.said.append(" ".join([*rest, *told.get("--selector", [])]))
        if rest[0] == "delete":
            self._forget(namespace, *rest[1:])
        elif rest[:2] == ["create", "secret"]:
            self._keep(namespace, rest[2], rest[3], told)
        elif rest[0] == "label":
            known = {name for place, name in self.secrets if place == namespace}
            there = known if rest[1] == "secret" else self.namespaces
            assert rest[2] in there, f"there is no {rest[1]} {rest[2]}"
        elif rest[0] == "exec" and not rest[1].startswith("deployment/"):
            if "import_definitions" in rest:
                self.definitions = json.loads(given.read_text())
            self._has(namespace, *_server_of(rest[1]))
        else:
            self._talks_of(namespace, rest)

    def _apply(self, told: dict[str, list[str]], given: Path) -> None:
        for name in told.get("-f", []):
            if name.startswith("https://"):
                # Of an operator, whose objects are its own.
                continue
            file = given if name == "-" else self.folder / name
            for one in yaml.safe_load_all(file.read_text()):
                self.takes(one)
        for name in told.get("-k", []):
            for one in self.built(Path(name).name):
                if all(_fits(one, selector) for selector in told.get("--selector", [])):
                    self.takes(one)

    def takes(self, one: Manifest) -> None:
        kind, name = one["kind"], one["metadata"]["name"]
        if kind == "Namespace":
            self.namespaces.add(name)
            return
        namespace = one["metadata"].get("namespace", "default")
        assert namespace in self.namespaces, f"{kind} {name}: no namespace {namespace}"
        for secret, wanted, keys in wanted_by(one):
            found = self.secrets.get((namespace, secret))
            assert found, f"{kind} {name} wants the secret {secret} of {namespace}"
            assert wanted in ("", found.kind), f"{secret} is {found.kind}, not {wanted}"
            assert keys <= found.keys.keys(), f"{secret} has {set(found.keys)}, not {keys}"
        there = self.applied.get((namespace, kind, name), one)
        assert kind != "Job" or there == one, f"the job {name} is there and cannot be changed"
        self.said.append(f"{kind} {name}")
        self.applied[namespace, kind, name] = one

    def _forget(self, namespace: str, kind: str, name: str = "") -> None:
        """All of a kind, unless one is named. Secrets are made by their names, not applied."""
        if kind == "secret":
            del self.secrets[namespace, name]
        gone = (namespace, kind.capitalize(), name)
        self.applied = {
            place: one
            for place, one in self.applied.items()
            if place != gone and (name or place[:2] != gone[:2])
        }

    def _keep(self, namespace: str, kind: str, name: str, told: dict[str, list[str]]) -> None:
        assert (namespace, name) not in self.secrets, f"{name} is there already"
        if kind == "tls":
            files = {"tls.crt": told["--cert"][0], "tls.key": told["--key"][0]}
            keys = {key: (self.folder / file).read_text() for key, file in files.items()}
            self.secrets[namespace, name] = Secret(TLS, keys)
            return
        keys = dict(one.split("=", 1) for one in told.get("--from-literal", []))
        for one in told.get("--from-file", []):
            keys |= self._read(*one.rpartition("=")[::2])
        self.secrets[namespace, name] = Secret(told.get("--type", [OPAQUE])[0], keys)

    def _read(self, key: str, path: str) -> dict[str, str]:
        place = self.folder / path
        if place.is_dir():
            return {one.name: one.read_text() for one in sorted(place.iterdir())}
        return {key or place.name: place.read_text()}

    def _talks_of(self, namespace: str, words: list[str]) -> None:
        """Of an object, or of all of a kind: one has to be there."""
        about = next(one for one in words[1:] if one not in ("status", "restart"))
        kind, _, name = about.partition("/")
        known = [
            (there[1].lower(), there[2]) for there in self.applied if there[0] == namespace
        ]
        kind = kind.partition(".")[0]
        assert any(one == kind and name in ("", other) for one, other in known), words

    def _has(self, namespace: str, kind: str, name: str) -> None:
        assert (namespace, kind, name) in self.applied, f"there is no {kind} {name} yet"


def _server_of(place: str) -> tuple[str, str]:
    """Whose operator gives its pods and services names of this kind."""
    for form, kind in _OF_OPERATORS.items():
        if named := re.fullmatch(form, place):
            return kind, named[1]
    raise AssertionError(f"nobody makes {place}")


def _fits(one: Manifest, selector: str) -> bool:
    """By its own labels; of the language of selectors the two forms that the guide has."""
    labels = one["metadata"].get("labels", {})
    if among := re.fullmatch(r"(\S+) notin \((.*)\)", selector):
        return labels.get(among[1]) not in among[2].split(", ")
    key, _, value = selector.partition("=")
    return bool(labels.get(key) == value)


def _options(words: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    told: dict[str, list[str]] = {}
    rest: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            return told, [*rest, *left]
        if word in ("-n", "-f", "-k", "-c"):
            told.setdefault(word, []).append(next(left))
        elif word.startswith("-") and word != "-":
            name, _, value = word.partition("=")
            told.setdefault(name, []).append(value)
        else:
            rest.append(word)
    return told, rest


Wanted = Iterable[tuple[str, str, set[str]]]


def wanted_by(one: Manifest) -> Wanted:
    """Secrets that it names: each with the type and the keys that it has to have."""
    wants = _WANTS.get(one["kind"])
    return wants(one["spec"]) if wants else ()


def _of_pods(spec: Manifest) -> Wanted:
    volumes = spec["template"]["spec"]["volumes"]
    return [(one["secret"]["secretName"], OPAQUE, set()) for one in volumes if "secret" in one]


def _of_the_broker(spec: Manifest) -> Wanted:
    return [(spec["tls"]["secretName"], TLS, set())]


def _of_the_database(spec: Manifest) -> Wanted:
    pair = {"username", "password"}
    yield spec["bootstrap"]["initdb"]["secret"]["name"], BASIC_AUTH, pair
    for role in spec["managed"]["roles"]:
        yield role["passwordSecret"]["name"], BASIC_AUTH, pair
    yield spec["certificates"]["serverCASecret"], OPAQUE, {"ca.crt"}
    yield spec["certificates"]["serverTLSSecret"], TLS, set()


def _of_a_scaler(spec: Manifest) -> Wanted:
    return [(told["name"], OPAQUE, {told["key"]}) for told in spec["secretTargetRef"]]


def _of_what_scrapes(spec: Manifest) -> Wanted:
    for one in spec["podMetricsEndpoints"]:
        told = one["authorization"]["credentials"]
        yield told["name"], OPAQUE, {told["key"]}


def _of_the_way_in(spec: Manifest) -> Wanted:
    for listener in spec["listeners"]:
        for told in listener["tls"]["certificateRefs"]:
            yield told["name"], TLS, set()


_WANTS: Mapping[str, Callable[[Manifest], Wanted]] = {
    "Deployment": _of_pods,
    "Job": _of_pods,
    "StatefulSet": _of_pods,
    "RabbitmqCluster": _of_the_broker,
    "Cluster": _of_the_database,
    "TriggerAuthentication": _of_a_scaler,
    "Gateway": _of_the_way_in,
    "PodMonitor": _of_what_scrapes,
}
