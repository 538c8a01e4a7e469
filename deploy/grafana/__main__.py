"""`python -m deploy.grafana` writes the files of the dashboards anew."""

import json
from pathlib import Path

from deploy.grafana.flow import PIPELINE, QUEUES
from deploy.grafana.panels import Dashboard, exported
from deploy.grafana.people import INTEGRITY, REVIEW
from deploy.grafana.running import PROVIDER, SERVICES

FOLDER = Path(__file__).parent / "dashboards"
DASHBOARDS: tuple[Dashboard, ...] = (
    PIPELINE,
    SERVICES,
    QUEUES,
    PROVIDER,
    REVIEW,
    INTEGRITY,
)


def text_of(dashboard: Dashboard) -> str:
    return json.dumps(exported(dashboard), indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    for dashboard in DASHBOARDS:
        (FOLDER / f"{dashboard.name}.json").write_text(text_of(dashboard))


if __name__ == "__main__":
    main()
