"""What is told of each call: a span with the GenAI names, and counts. Never any content.

The names are of the OpenTelemetry GenAI conventions, which moved to a repository of their own;
they are pinned here, so that a dashboard breaks in one place.
"""

import time
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from services.extractor.adapters.gemini.reply import Reply
from services.extractor.domain.providers import (
    Away,
    Misconfigured,
    NoReading,
    Throttled,
)
from services.extractor.domain.reading import Usage
from shared.observability.metrics import (
    MODEL_COST_USD,
    MODEL_REQUESTS,
    MODEL_SECONDS,
    MODEL_TOKENS,
)
from shared.observability.tracing import Span, span

OPERATION: Final = "generate_content"
PROVIDER: Final = "gcp.gemini"
ATTRIBUTES: Final = {
    "operation": "gen_ai.operation.name",
    "provider": "gen_ai.provider.name",
    "request_model": "gen_ai.request.model",
    "response_model": "gen_ai.response.model",
    "finish_reasons": "gen_ai.response.finish_reasons",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "output_type": "gen_ai.output.type",
    "server": "server.address",
}
DEFAULT_SERVER: Final = "generativelanguage.googleapis.com"


class Call:
    """`with Call(model, base_url) as call`: one call of the provider, told when it is over."""

    def __init__(self, model: str, base_url: str | None) -> None:
        self.outcome = "ok"
        self._model = model
        attributes = {
            ATTRIBUTES["operation"]: OPERATION,
            ATTRIBUTES["provider"]: PROVIDER,
            ATTRIBUTES["request_model"]: model,
            ATTRIBUTES["output_type"]: "json",
            ATTRIBUTES["server"]: urlsplit(base_url or "").hostname or DEFAULT_SERVER,
        }
        self._opening = span(f"{OPERATION} {model}", kind="client", attributes=attributes)
        self._began = 0.0
        self._span: Span | None = None

    def __enter__(self) -> Self:
        self._began = time.perf_counter()
        self._span = self._opening.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self.outcome = outcome_of(error)
        elif self.outcome != "ok" and self._span is not None:
            self._span.fail(self.outcome)
        self._opening.__exit__(kind, error, trace)
        MODEL_REQUESTS.labels(self._model, self.outcome).inc()
        MODEL_SECONDS.labels(self._model).observe(time.perf_counter() - self._began)

    def answered(self, reply: Reply | None, usage: Usage | None) -> None:
        if reply is not None:
            self._note("finish_reasons", (reply.finish_reason or "")[:40])
            self._note("response_model", (reply.model_version or "")[:80])
        if usage is not None:
            output = usage.output_tokens + usage.thought_tokens
            self._note("input_tokens", usage.prompt_tokens)
            self._note("output_tokens", output)
            MODEL_TOKENS.labels(usage.model, "input").inc(usage.prompt_tokens)
            MODEL_TOKENS.labels(usage.model, "output").inc(output)
            MODEL_COST_USD.labels(usage.model).inc(float(usage.cost))

    def _note(self, name: str, value: str | int) -> None:
        if self._span is not None:
            self._span.set(ATTRIBUTES[name], value)


def outcome_of(error: BaseException) -> str:
    """From a closed set, whatever the provider said."""
    if isinstance(error, Throttled):
        return "throttled_day" if error.per_day else "throttled"
    if isinstance(error, Away):
        return "timeout" if error.reason == "timeout" else "away"
    if isinstance(error, Misconfigured):
        return "misconfigured"
    if isinstance(error, NoReading):
        return error.finding.code.removeprefix("model_")
    return "cancelled" if not isinstance(error, Exception) else "failed"
