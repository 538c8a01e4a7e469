"""`python -m deploy.verify --database-url … [--amqp-url …] [--blobs-url …] [--history F]`.

Against any live system: nothing is written, no lock is taken. 0: all that was asked holds;
1: something is broken; 2: something that was given could not be judged.
"""

import argparse
import os
import sys
from functools import partial

from deploy.verify.arguments import add_common
from deploy.verify.broker import Broker
from deploy.verify.database import snapshot_of
from deploy.verify.heads import kept_heads
from deploy.verify.history import History
from deploy.verify.looking import Sources
from deploy.verify.objects import S3Account, objects_at
from deploy.verify.promises import CannotJudge
from deploy.verify.report import COULD_NOT_JUDGE
from deploy.verify.verifying import run


def main(words: list[str] | None = None) -> int:
    given = _parser().parse_args(words)
    if given.database_url is None:
        print("--database-url (or PAPERLINE_DATABASE_URL) is needed", file=sys.stderr)
        return COULD_NOT_JUDGE
    try:
        return run(_sources(given), given)
    except CannotJudge as error:
        print(f"cannot judge: {error}", file=sys.stderr)
        return COULD_NOT_JUDGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.verify", description=__doc__)
    told = os.environ
    parser.add_argument("--database-url", default=told.get("PAPERLINE_DATABASE_URL"))
    parser.add_argument("--amqp-url", default=told.get("PAPERLINE_AMQP_URL"))
    parser.add_argument("--broker-api-url", default=told.get("PAPERLINE_BROKER_API_URL"))
    parser.add_argument("--blobs-url", default=told.get("PAPERLINE_BLOBS_URL"))
    parser.add_argument("--statement-s", type=float, default=300.0, help="of one at most")
    add_common(parser)
    return parser


def _sources(given: argparse.Namespace) -> Sources:
    told = os.environ
    account = S3Account(
        endpoint=told.get("PAPERLINE_S3_ENDPOINT"),
        access_key=told.get("PAPERLINE_S3_ACCESS_KEY"),
        secret_key=told.get("PAPERLINE_S3_SECRET_KEY"),
        region=told.get("PAPERLINE_S3_REGION", "us-east-1"),
    )
    snapshot = partial(snapshot_of, given.database_url, statement_s=given.statement_s)
    return Sources(
        snapshot,
        broker=Broker(given.amqp_url, given.broker_api_url) if given.amqp_url else None,
        objects=objects_at(given.blobs_url, account) if given.blobs_url else None,
        history=History(given.history) if given.history else None,
        provider_url=given.gemini_double,
        audit_heads=kept_heads(given.audit_head),
    )


if __name__ == "__main__":
    sys.exit(main())
