"""A sandbox's child that dies of every document, whatever it holds."""

import os
import sys

from shared.sandbox.frames import Frame
from shared.sandbox.serving import Served, serve


def handle(_asked: Frame) -> Served:
    os.abort()


if __name__ == "__main__":
    sys.exit(serve(handle, sys.argv[1:]))
