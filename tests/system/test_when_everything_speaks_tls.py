"""Database, broker, object store and our doors over TLS, certified by an authority of ours."""

from pathlib import Path

import pytest

from tests.broker.tls_servers import tls_servers
from tests.conformance.seaweed import BUCKET, Tls, seaweed
from tests.house.repository import ROOT
from tests.system.stack import Stack

SAMPLES = sorted((ROOT / "deploy" / "samples").glob("*.pdf"))


@pytest.mark.slow
async def test_a_demo_reads_documents_with_nothing_in_the_clear(
    folder: Path, tmp_path: Path
) -> None:
    stack = Stack.below(folder / "over-tls")
    async with tls_servers(folder / "tls-servers") as servers:
        store = Tls(*servers.pair("objects"), servers.ca_file)
        async with seaweed(tmp_path, store) as s3:
            certificate, key = servers.pair("desk")
            with pytest.MonkeyPatch.context() as surroundings:
                for name, value in {
                    "DATABASE_URL": servers.database_url,
                    "AMQP_URL": servers.amqp_url,
                    "AMQP_API_URL": servers.amqp_api_url,
                    "S3_ENDPOINT": s3.s3_endpoint,
                    "S3_ACCESS_KEY": s3.s3_access_key,
                    "S3_SECRET_KEY": s3.s3_secret_key,
                    "S3_BUCKET": BUCKET,
                    "PAPERLINE_CA_FILE": servers.ca_file,
                    "PAPERLINE_TLS_CERTIFICATE_FILE": certificate,
                    "PAPERLINE_TLS_KEY_FILE": key,
                }.items():
                    assert value is not None
                    surroundings.setenv(name, str(value))
                async with stack.demo("--once", *SAMPLES[:2]) as demo:
                    ended = await demo.ends()

    assert ended == 0, demo.said
    assert "What was read" in demo.said
    logs = [stack.state.log(service).read_text() for service in ("ingest", "monitor")]
    assert not any("CERTIFICATE_VERIFY_FAILED" in log for log in logs)
