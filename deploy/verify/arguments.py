"""What both commands that verify take. Standard library only: `help` works before any setup."""

import argparse
from pathlib import Path


def add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--history", type=Path, metavar="FILE", help="what clients were told")
    parser.add_argument(
        "--audit-head",
        action="append",
        default=[],
        metavar="SERVICE=FILE",
        help="its audit log as exported, or its head: kept elsewhere, and still met",
    )
    parser.add_argument("--gemini-double", metavar="URL", help="counts the provider's answers")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--deep", action="store_true", help="read every byte that is kept")
    parser.add_argument(
        "--repairs-allowed", type=int, metavar="N", help="by the sweeper (default: any number)"
    )
    parser.add_argument(
        "--quiescent", action="store_true", help="nothing is under way: nothing may be left"
    )
