"""The doors of ingest: serve, work, migrate, check, all."""

from services.ingest.wiring import SERVICE
from shared.process.runtime import main

if __name__ == "__main__":
    main(SERVICE)
