"""A trace collector in the test: takes OTLP over HTTP and keeps the spans it is told."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A span, as far as a test of traces cares."""

    service: str
    name: str
    trace_id: str
    span_id: str
    parent_id: str
    began_ns: int
    attributes: dict[str, str]


@dataclass(slots=True)
class Collector:
    address: str = ""
    # What nobody may say in a span or in a problem, whichever part of it. What stands in a
    # document may be told to who reviews it ("the number of another invoice"), but in no span.
    forbidden: set[bytes] = field(default_factory=set)
    of_documents: set[bytes] = field(default_factory=set)
    # What of that was said.
    said: set[bytes] = field(default_factory=set)
    _spans: list[Seen] = field(default_factory=list)

    def spans_of(self, trace_id: str) -> list[Seen]:
        return [one for one in list(self._spans) if one.trace_id == trace_id]

    def hear(self, problem: bytes) -> None:
        self.said |= {one for one in list(self.forbidden) if one in problem}

    def take(self, raw: bytes) -> None:
        # As it comes: texts are in it letter by letter, also those that `Seen` leaves out.
        self.hear(raw)
        self.said |= {one for one in list(self.of_documents) if one in raw}
        for resource in ExportTraceServiceRequest.FromString(raw).resource_spans:
            attributes = {
                one.key: one.value.string_value for one in resource.resource.attributes
            }
            self._spans += [
                Seen(
                    attributes["service.name"],
                    span.name,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    span.start_time_unix_nano,
                    {one.key: one.value.string_value for one in span.attributes},
                )
                for scope in resource.scope_spans
                for span in scope.spans
            ]


@contextmanager
def running_collector() -> Iterator[Collector]:
    collector = Collector()

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.take(self.rfile.read(int(self.headers["Content-Length"])))
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as server:
        collector.address = f"http://127.0.0.1:{server.server_port}"
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        try:
            yield collector
        finally:
            server.shutdown()
            serving.join()
