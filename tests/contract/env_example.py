"""`.env.example`, written from the settings themselves, so that it can never be out of date.

`python -m tests.contract.env_example > .env.example` writes it anew; a test compares. What all
services share comes once, on top; below follows what each adds or sets differently.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from tests.house.repository import ROOT, SERVICES, SERVICES_WITH_AN_API

_INTRODUCTION = """\
# Every knob of every service, written by `python -m tests.contract.env_example`.
# A line without `#` has no default: the service does not start without it. `./paperline` and
# docker-compose.yml set what they need by themselves; this is for everybody else.
"""

_FIELD = re.compile(r"    (\w+): ")


@dataclass(frozen=True, slots=True)
class Knob:
    field: FieldInfo
    # The comment above the field: what somebody who changes it has to know.
    reason: str


Knobs = dict[str, Knob]


def render() -> str:
    shared = _knobs("shared.process.settings", "ProcessSettings")
    with_api = _knobs("shared.process.api_settings", "ApiSettings")
    sections = [
        _section("every service", shared),
        _section("every service with an API", _differing(with_api, shared)),
    ]
    for service in SERVICES:
        if _has_settings(service):
            own = _knobs(f"services.{service}.settings", "Settings")
            above = with_api if service in SERVICES_WITH_AN_API else shared
            sections.append(_section(service, _differing(own, above)))
    return "\n".join([_INTRODUCTION, *filter(None, sections)]).rstrip("\n") + "\n"


def _has_settings(service: str) -> bool:
    home = ROOT / "services" / service
    return (home / "settings.py").exists() or (home / "settings").is_dir()


def _knobs(module: str, name: str) -> Knobs:
    settings: type[BaseSettings] = getattr(importlib.import_module(module), name)
    prefix = str(settings.model_config.get("env_prefix", ""))
    reasons = _reasons(settings)
    return {
        str(field.validation_alias or f"{prefix}{key}").upper(): Knob(field, reasons[key])
        for key, field in settings.model_fields.items()
    }


def _reasons(settings: type[BaseSettings]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in reversed(settings.__mro__):
        if issubclass(one, BaseSettings) and one is not BaseSettings:
            found.update(_comments(inspect.getsource(one).splitlines()))
    return found


def _comments(lines: list[str]) -> Iterator[tuple[str, str]]:
    above: list[str] = []
    for line in lines:
        if line.startswith("    # "):
            above.append(line)
            continue
        if field := _FIELD.match(line):
            yield field[1], "\n".join(one.strip() for one in above)
        above = []


def _differing(own: Knobs, shared: Knobs) -> Knobs:
    return {
        name: knob
        for name, knob in own.items()
        if name not in shared or _value(knob.field) != _value(shared[name].field)
    }


def _section(title: str, knobs: Knobs) -> str:
    if not knobs:
        return ""
    lines = [line for name, knob in knobs.items() for line in _lines(name, knob)]
    return "\n".join([f"# ---- {title}", "", *lines])


def _lines(name: str, knob: Knob) -> Iterator[str]:
    if knob.reason:
        yield knob.reason
    if limits := _limits(knob.field):
        yield f"# {limits}"
    required = knob.field.is_required()
    yield f"{name}=" if required else f"# {name}={_value(knob.field)}"
    yield ""


def _limits(field: FieldInfo) -> str:
    """Bounds and choices, as a person writes them."""
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    bounds = [
        f"{sign} {getattr(one, name)}"
        for one in field.metadata
        for name, sign in signs.items()
        if getattr(one, name, None) is not None
    ]
    choices = re.findall(r"'([^']*)'", str(field.annotation)) if _is_choice(field) else []
    return ", ".join(bounds) or " | ".join(choices)


def _is_choice(field: FieldInfo) -> bool:
    return str(field.annotation).startswith("typing.Literal")


def _value(field: FieldInfo) -> str:
    default: Any = field.get_default(call_default_factory=True, validated_data={})
    if default is None or field.is_required():
        return ""
    if isinstance(default, SecretStr):
        # A secret with a default would be a password in a repository.
        raise TypeError("a secret has a default")
    return str(default)


if __name__ == "__main__":
    print(render(), end="")  # noqa: T201 -- the command answers on standard output
