"""A collector of traces that keeps what it is told, on a port of its own."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import chain

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Exported


class Collector:
    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.spans: list[Exported] = []
        collector = self

        class Take(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector._take(self.path, body, self.headers.get("content-encoding"))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Take)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
            self.address = f"https://localhost:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def _take(self, path: str, body: bytes, encoding: str | None) -> None:
        assert path == "/v1/traces"
        assert encoding is None
        request = ExportTraceServiceRequest.FromString(body)
        scopes = chain.from_iterable(one.scope_spans for one in request.resource_spans)
        self.spans.extend(chain.from_iterable(scope.spans for scope in scopes))

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
