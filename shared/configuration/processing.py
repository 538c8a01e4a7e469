"""How work is done: at once, again, and when not; which answers are kept, and where they go."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from shared.configuration.models import Section

HOUR_S = 3600.0
Template = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_{}:%./=-]{1,200}$")]
OutputKind = Literal["json", "parquet", "version"]
# Whoever needs an old version looks for it here: results, erasing, manifests, merging.
VERSION_PLACE = "data/versions/{document_id}/{version}.json"
# Where others keep what is theirs: read twice by whoever reads a folder, or swept as left over.
TAKEN = (
    *("data/compacted/", "data/manifests/", "data/metrics/", "data/versions/"),
    *("exports/", "logs/", "pages/", "sha256/", "words/"),
)
_PART = re.compile(r"\{([a-z_]+)(?::([^{}]*))?\}")
_DATE_PARTS = ("%Y", "%m", "%d")


class Retry(Section):
    max_retries: int = Field(ge=0, le=20)
    backoff_base_seconds: float = Field(gt=0, le=3600)


class CircuitBreaker(Section):
    failure_threshold: int = Field(ge=1, le=100)
    recovery_timeout_seconds: float = Field(ge=1, le=HOUR_S)
    # How long documents wait for an engine that is away before the others read alone.
    patience_seconds: float = Field(ge=0, le=24 * HOUR_S)


class EInvoiceProcessing(Section):
    timeout_seconds: float = Field(gt=0, le=290)


class OfflineProcessing(Section):
    # Of a document with a text layer; recognising one takes its time page by page.
    timeout_seconds: float = Field(gt=0, le=290)
    # Parsers at once, and as many that recognise.
    max_concurrent: int | None = Field(default=None, ge=1, le=64)


class GeminiProcessing(Section):
    timeout_seconds: float = Field(gt=0, le=290)
    requests_per_second: float | None = Field(default=None, gt=0, le=10_000)
    max_concurrent: int | None = Field(default=None, ge=1, le=1000)


class EngineProcessing(Section):
    """What each engine may be asked for; absent is what the environment says."""

    einvoice: EInvoiceProcessing | None = None
    offline: OfflineProcessing | None = None
    gemini: GeminiProcessing | None = None


class Processing(Section):
    max_concurrent_tasks: int = Field(ge=1, le=1000)
    retry: Retry
    circuit_breaker: CircuitBreaker
    engines: EngineProcessing


KeyPart = Literal["owner", "sha256", "engines", "models", "prompt", "schema", "rules"]
# Nobody is given another's answer, or one that our own code would not give any more.
KEY_ALWAYS = ("owner", "sha256", "engines")


def _has_what_it_must(key: tuple[KeyPart, ...]) -> tuple[KeyPart, ...]:
    missing = [part for part in KEY_ALWAYS if part not in key]
    if missing:
        raise ValueError(f"leaves out {', '.join(missing)}; name what is always part of it")
    return key


class FieldPreservation(Section):
    """What becomes of the values of a document that is read again."""

    human_values: Literal["keep"]


class Idempotency(Section):
    hash: Literal["sha256"]
    cache_ttl_s: float = Field(ge=60, le=10 * 366 * 86_400)
    # Another value of any of these, and the document is read anew.
    key: Annotated[tuple[KeyPart, ...], AfterValidator(_has_what_it_must)]
    degraded_serves: bool
    field_preservation: FieldPreservation


class Output(Section):
    """Where storage writes results, and how. The dates are those of acceptance, in UTC."""

    paths: dict[OutputKind, Template]
    compression: Literal["none", "snappy", "zstd", "gzip"]
    atomic_writes: Literal[True]

    @field_validator("paths")
    @classmethod
    def _are_places(cls, paths: dict[OutputKind, str]) -> dict[OutputKind, str]:
        missing = [name for name in ("json", "parquet", "version") if name not in paths]
        if missing:
            raise ValueError(f"has no `{missing[0]}`; add it")
        for name, template in paths.items():
            _check_place(name, template)
        if paths["json"] == paths["parquet"]:
            raise ValueError("`json` and `parquet` are the same place; change one of them")
        return paths


def _check_place(name: OutputKind, template: str) -> None:
    """A template that leaves its folder, or that two documents share, is told at the start."""
    parts = dict(_PART.findall(template))
    known = {"document_id", "version" if name == "version" else "accepted_at"}
    plain = _PART.sub("0", template)
    if unknown := sorted({*parts} - known):
        raise ValueError(f"`{name}` holds {{{unknown[0]}}}; use {_listed(known)}")
    if absent := sorted(known - {*parts}):
        raise ValueError(f"`{name}` lacks {{{absent[0]}}}; add it")
    _check_path(name, plain)
    if name == "version" and template != VERSION_PLACE:
        raise ValueError(
            f"`version` is not {VERSION_PLACE}; old versions lie there, leave it so"
        )
    if "accepted_at" in parts:
        _check_date(name, parts["accepted_at"])


def _check_path(name: OutputKind, plain: str) -> None:
    if not re.fullmatch(r"[a-z0-9_][a-z0-9._=-]*(/[a-z0-9_][a-z0-9._=-]*)+", plain):
        raise ValueError(f"`{name}` is no path of lower-case names; write one without `..`")
    if ".." in plain:
        raise ValueError(f"`{name}` holds `..`; write the path without it")
    if name == "version":
        return
    if not plain.endswith(f".{name}"):
        raise ValueError(f"`{name}` does not end with .{name}; end it so")
    if taken := [one for one in TAKEN if plain.startswith(one)]:
        raise ValueError(f"`{name}` lies in {taken[0]}, which holds other files; move it out")


def _check_date(name: OutputKind, form: str) -> None:
    if lacking := [part for part in _DATE_PARTS if part not in form]:
        raise ValueError(f"`{name}` lacks {lacking[0]} of the date; add it")
    if not re.fullmatch(r"(%[Ymd]|[a-z0-9_./=-])+", form):
        raise ValueError(f"`{name}` holds more of the date than %Y, %m and %d; remove the rest")


def _listed(names: set[str]) -> str:
    return " and ".join(f"{{{one}}}" for one in sorted(names))
