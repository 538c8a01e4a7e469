"""The doors of storage: serve, work, migrate, check, all."""

from services.storage.wiring import SERVICE
from shared.process.runtime import main

if __name__ == "__main__":
    main(SERVICE)
