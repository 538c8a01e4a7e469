"""The bill itself, in the words of CycloneDX 1.6."""

import hashlib
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from deploy.sbom.lock import Pin

Kind = Literal["library", "operating-system", "platform"]
# The name space of our serial numbers: one content, one number.
_SPACE = uuid.UUID("6f0f2f6e-6d9b-5d0c-9d53-0a7a64c1a3b1")


@dataclass(frozen=True, slots=True)
class Component:
    """Of the base that an image stands on."""

    kind: Kind
    name: str
    version: str
    purl: str | None


def bill(service: str, pins: Sequence[Pin], base: Sequence[Component]) -> dict[str, Any]:
    name = f"paperline-{service}"
    of_base = (_of_base(one) for one in base)
    # Debian may hold a package for two architectures; a reference is given once.
    components = {one["bom-ref"]: one for one in [*map(_of_pin, pins), *of_base]}
    content = {
        "metadata": {"component": {"type": "application", "bom-ref": name, "name": name}},
        "components": [components[key] for key in sorted(components)],
        "dependencies": _dependencies(name, pins),
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(_SPACE, digest)}",
        "version": 1,
        **content,
    }


def _purl(pin: Pin) -> str:
    return f"pkg:pypi/{pin.name}@{pin.version}"


def _of_pin(pin: Pin) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": _purl(pin),
        "name": pin.name,
        "version": pin.version,
        "purl": _purl(pin),
        # Not `hashes`: what is installed has one of them.
        "properties": [
            {"name": "paperline:locked:sha256", "value": one} for one in sorted(pin.hashes)
        ],
    }


def _of_base(one: Component) -> dict[str, Any]:
    said = {"type": one.kind, "name": one.name, "version": one.version}
    if one.purl is None:
        return {"bom-ref": f"{one.name}@{one.version}", **said}
    return {"bom-ref": one.purl, **said, "purl": one.purl}


def _dependencies(name: str, pins: Sequence[Pin]) -> list[dict[str, Any]]:
    by_name = {one.name: one for one in pins}
    wanted: dict[str, list[str]] = {ref: [] for ref in (name, *map(_purl, pins))}
    for pin in pins:
        wanting = [_purl(by_name[one]) for one in pin.wanted_by if one in by_name]
        for ref in [*([name] if pin.direct else []), *wanting]:
            wanted[ref].append(_purl(pin))
    return [{"ref": ref, "dependsOn": sorted(needs)} for ref, needs in sorted(wanted.items())]
