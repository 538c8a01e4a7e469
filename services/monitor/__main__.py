"""The doors of the monitor: serve, work, migrate, check, all."""

from services.monitor.wiring import SERVICE
from shared.process.runtime import main

if __name__ == "__main__":
    main(SERVICE)
