"""What is told of each call: a span and counts. Never any content."""

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
from shared.observability import conventions as names
from shared.observability.exposition import observe
from shared.observability.metrics import (
    LLM_COST_USD,
    LLM_DURATION_SECONDS,
    LLM_REQUESTS,
    LLM_TOKENS,
)
from shared.observability.tracing import Span, Value, span

DEFAULT_SERVER: Final = "generativelanguage.googleapis.com"


class Call:
    """`with Call(model, base_url) as call`: one call of the provider, told when it is over."""

    def __init__(self, model: str, base_url: str | None) -> None:
        self.outcome = "ok"
        self._model = model
        attributes = {
            names.GEN_AI_OPERATION: names.GENERATE_CONTENT,
            names.GEN_AI_PROVIDER: names.GEMINI,
            names.REQUEST_MODEL: model,
            names.OUTPUT_TYPE: "json",
            names.SERVER_ADDRESS: urlsplit(base_url or "").hostname or DEFAULT_SERVER,
        }
        named = f"{names.GENERATE_CONTENT} {model}"
        self._opening = span(named, kind="client", attributes=attributes)
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
        lasted = LLM_DURATION_SECONDS.labels(self._model, self.outcome)
        observe(lasted, time.perf_counter() - self._began)
        self._opening.__exit__(kind, error, trace)
        LLM_REQUESTS.labels(self._model, self.outcome).inc()

    def answered(self, reply: Reply | None, usage: Usage | None) -> None:
        if reply is not None:
            # A list by convention: one for each answer that was asked for.
            self._note(names.FINISH_REASONS, ((reply.finish_reason or "")[:40],))
            self._note(names.RESPONSE_MODEL, (reply.model_version or "")[:80])
        if usage is not None:
            output = usage.output_tokens + usage.thought_tokens
            self._note(names.INPUT_TOKENS, usage.prompt_tokens)
            self._note(names.OUTPUT_TOKENS, output)
            LLM_TOKENS.labels(usage.model, "input").inc(usage.prompt_tokens)
            LLM_TOKENS.labels(usage.model, "output").inc(output)
            LLM_COST_USD.labels(usage.model).inc(float(usage.cost))

    def _note(self, name: str, value: Value) -> None:
        if self._span is not None:
            self._span.set(name, value)


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
