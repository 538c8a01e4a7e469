"""`python3 -m deploy.certificates [FOLDER]`: make what is missing, renew what ends soon.

`ca.pem` is what everybody believes, and nothing secret; `ca.key` can certify anything, so keep
it elsewhere between two runs. Each server has a folder with `tls.crt` and `tls.key`.
`--host broker=rabbit.internal,10.1.0.5` says how one is called; without, as compose calls it.
"""

import argparse
import sys
from pathlib import Path

from deploy.certificates.making import (
    AUTHORITY_DAYS,
    LEAF_DAYS,
    SERVERS,
    CertificateError,
    make,
)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m deploy.certificates",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", nargs="?", type=Path, default=Path("secrets/tls"))
    parser.add_argument(
        "--host", action="append", default=[], metavar="SERVER=NAME[,NAME]", type=_named
    )
    parser.add_argument("--days", type=int, default=LEAF_DAYS, metavar="N")
    parser.add_argument("--authority-days", type=int, default=AUTHORITY_DAYS, metavar="N")
    options = parser.parse_args()
    names = {server: [server] for server in SERVERS} | dict(options.host)
    try:
        made = make(
            options.folder, names, days=options.days, authority_days=options.authority_days
        )
    except CertificateError as error:
        print(error, file=sys.stderr)
        return 1
    said = ", ".join(made) or "nothing new"
    print(f"{options.folder}/: {said}; readable by you only")
    return 0


def _named(text: str) -> tuple[str, list[str]]:
    server, _, names = text.partition("=")
    if not server or not names:
        raise argparse.ArgumentTypeError(f"{text!r} is not SERVER=NAME[,NAME]")
    return server, names.split(",")


if __name__ == "__main__":
    raise SystemExit(main())
