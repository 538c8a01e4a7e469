"""Kubernetes' own schemas, from the package that carries them, each read only once."""

import importlib.resources
import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

Manifest = dict[str, Any]


def complaints(manifest: Manifest, version: str) -> list[str]:
    """What Kubernetes of this version would say of the words, types and places."""
    group, _, number = manifest["apiVersion"].rpartition("/")
    kind = f"{manifest['kind']}-{group.split('.')[0]}-{number}" if group else None
    validator = _validator((kind or f"{manifest['kind']}-{number}").lower(), version)
    name = f"{manifest['kind']} {manifest['metadata']['name']}"
    return [
        f"{name}: {error.json_path}: {error.message}"
        for error in validator.iter_errors(manifest)
    ]


@cache
def _validator(kind: str, version: str) -> Draft202012Validator:
    return Draft202012Validator(_schema(kind, version), registry=_registry(version))


@cache
def _registry(version: str) -> Registry[Any]:
    return Resource.from_contents(_schema("_definitions", version)) @ Registry()


def _schema(name: str, version: str) -> Manifest:
    folder = importlib.resources.files("kubernetes_validate") / "kubernetes-json-schema"
    text = (folder / f"v{version}-local-strict" / f"{name}.json").read_text()
    schema = json.loads(text)
    assert isinstance(schema, dict)
    return schema
