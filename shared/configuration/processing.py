"""How work is done: at once, again, and when not; which answers are kept, and where they go."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from shared.configuration.models import Name, Section

HOUR_S = 3600.0
Template = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_{}:%./-]{1,200}$")]


class Retry(Section):
    max_retries: int = Field(ge=0, le=20)
    backoff_base_seconds: float = Field(gt=0, le=3600)


class CircuitBreaker(Section):
    failure_threshold: int = Field(ge=1, le=100)
    recovery_timeout_seconds: float = Field(ge=1, le=HOUR_S)
    # How long documents wait for an engine that is away before the others read alone.
    patience_seconds: float = Field(ge=0, le=24 * HOUR_S)


class EngineProcessing(Section):
    """What one engine may be asked for; absent is the limit that holds for all."""

    requests_per_second: float | None = Field(default=None, gt=0, le=10_000)
    timeout_seconds: float = Field(gt=0, le=290)
    max_concurrent: int | None = Field(default=None, ge=1, le=1000)


class Processing(Section):
    max_concurrent_tasks: int = Field(ge=1, le=1000)
    retry: Retry
    circuit_breaker: CircuitBreaker
    engines: dict[Name, EngineProcessing]


KeyPart = Literal["owner", "sha256", "engines", "models", "prompt", "schema", "rules"]


class FieldPreservation(Section):
    """What becomes of the values of a document that is read again."""

    human_values: Literal["keep"]
    # What the new reading misses and the old one had: kept as it was, or gone.
    missing_values: Literal["keep", "drop"]


class Idempotency(Section):
    hash: Literal["sha256"]
    cache_ttl_s: float = Field(ge=60, le=10 * 366 * 86_400)
    # Another value of any of these, and the document is read anew.
    key: tuple[KeyPart, ...] = Field(min_length=2)
    degraded_serves: bool
    field_preservation: FieldPreservation


class Output(Section):
    """Where storage writes results, and how."""

    paths: dict[Literal["json", "parquet", "version", "log"], Template]
    compression: Literal["none", "snappy", "zstd", "gzip"]
    atomic_writes: Literal[True]
