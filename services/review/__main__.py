"""The doors of the review service: serve, work, migrate, check, all."""

from services.review.wiring import SERVICE
from shared.process.runtime import main

if __name__ == "__main__":
    main(SERVICE)
