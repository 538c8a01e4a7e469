"""The doors of the extractor: serve, work, migrate, check, all."""

from services.extractor.wiring import SERVICE
from shared.process.runtime import main

if __name__ == "__main__":
    main(SERVICE)
