"""Spans for a collector. The only module that loads the OpenTelemetry SDK.

Imported by `tracing.py` when an endpoint is configured, and never otherwise: the SDK costs
a fifth of a second at start and some eight times as much per span as passing ids on.
"""

import threading
from collections.abc import Mapping
from pathlib import Path

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from shared.observability import conventions as names
from shared.observability import tracing

EXPORT_TIMEOUT_S = 3
FLUSH_TIMEOUT_S = 3
QUEUE_MAX = 4_096
KINDS = {
    "internal": trace.SpanKind.INTERNAL,
    "server": trace.SpanKind.SERVER,
    "client": trace.SpanKind.CLIENT,
    "producer": trace.SpanKind.PRODUCER,
    "consumer": trace.SpanKind.CONSUMER,
}


class Recording:
    """The part of a span that only a collector cares about."""

    __slots__ = ("_span",)

    def __init__(self, recorded: trace.Span) -> None:
        self._span = recorded

    def set(self, name: str, value: tracing.Value) -> None:
        self._span.set_attribute(name, value)

    def fail(self, error_type: str) -> None:
        self._span.set_attribute(names.ERROR_TYPE, error_type)
        self._span.set_status(trace.StatusCode.ERROR)

    def end(self) -> None:
        self._span.end()


class Recorder:
    def __init__(self, service: str, endpoint: str, ca_file: Path | None = None) -> None:
        url = endpoint.rstrip("/")
        if not url.endswith("/v1/traces"):
            url += "/v1/traces"
        self._provider = TracerProvider(
            resource=Resource.create(
                {names.SERVICE_NAME: service, names.SERVICE_NAMESPACE: "paperline"}
            ),
            shutdown_on_exit=False,
        )
        self._exporter = OTLPSpanExporter(
            url,
            timeout=EXPORT_TIMEOUT_S,
            certificate_file=str(ca_file) if ca_file else None,
        )
        # Full, it drops spans: a slow collector must not slow a document.
        self._provider.add_span_processor(
            BatchSpanProcessor(self._exporter, max_queue_size=QUEUE_MAX)
        )
        self._tracer = self._provider.get_tracer("paperline")

    def start(
        self,
        name: str,
        kind: tracing.Kind,
        above: tracing.Span | None,
        attributes: Mapping[str, tracing.Value] | None,
    ) -> tracing.Span:
        parent = None if above is None else _context_of(above)
        recorded = self._tracer.start_span(name, parent, KINDS[kind], attributes=attributes)
        context = recorded.get_span_context()
        return tracing.Span(
            f"{context.trace_id:032x}",
            f"{context.span_id:016x}",
            int(context.trace_flags),
            "" if above is None else above.tracestate,
            Recording(recorded),
        )

    def shutdown(self) -> None:
        # The SDK would try for half a minute to reach a collector that is away, longer than
        # a process may take to end. Shutting the exporter first makes it give up.
        impatience = threading.Timer(FLUSH_TIMEOUT_S, self._exporter.shutdown)
        impatience.daemon = True
        impatience.start()
        self._provider.shutdown()
        impatience.cancel()


def _context_of(above: tracing.Span) -> Context:
    parent = trace.SpanContext(
        int(above.trace_id, 16),
        int(above.span_id, 16),
        is_remote=above._recording is None,
        trace_flags=trace.TraceFlags(above.flags),
        trace_state=trace.TraceState.from_header(
            [above.tracestate] if above.tracestate else []
        ),
    )
    return trace.set_span_in_context(trace.NonRecordingSpan(parent), Context())
