"""What the double is told to do: one mode for ever, after steps for so many requests each.

A step may wait until so many requests were heard, or be about one content only. The first that
applies is taken, so that a test can say "twice a 503, then well".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

OPTIONS = {
    # Before anything is sent, on top of what the mode does.
    "delay_s",
    # Of a 429: "38s". Absent, it gives no hint.
    "retry_delay",
    # Of the mode `text`: what the model says; of `error_400`: what the API says.
    "text",
    # Of the mode `huge`.
    "bytes",
}
MODES = frozenset(
    (
        *("ok", "text", "rate_minute", "rate_day", "rate_bare"),
        *("error_400", "error_403", "error_404", "error_500", "error_503", "schema_refused"),
        *("hang", "drip", "reset", "reset_at_once"),
        *(
            "truncated",
            "truncated_whole",
            "truncated_empty",
            "blocked_prompt",
            "empty",
            "no_parts",
        ),
        *("safety", "recitation", "blocklist", "spii", "prohibited"),
        *("garbage", "html", "html_502", "broken_body", "nan", "wrong_schema", "huge"),
    )
)


@dataclass(slots=True)
class Step:
    mode: str = "ok"
    options: Mapping[str, Any] = field(default_factory=dict)
    # None is for ever.
    count: int | None = None
    # Requests that are let pass before it begins.
    after: int = 0
    # Only for this content.
    sha256: str | None = None

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"no mode {self.mode!r}; there are {', '.join(sorted(MODES))}")
        if unknown := set(self.options) - OPTIONS:
            raise ValueError(f"no option {', '.join(sorted(unknown))}")

    def applies(self, sha256: str) -> bool:
        return self.sha256 is None or self.sha256 == sha256


@dataclass(slots=True)
class Script:
    default: Step = field(default_factory=Step)
    steps: list[Step] = field(default_factory=list)

    def tell(self, step: Step) -> None:
        """A step without end and condition is the new default."""
        if step.count is None and step.after == 0 and step.sha256 is None:
            self.default = step
        else:
            self.steps.append(step)

    def forget(self) -> None:
        self.default = Step()
        self.steps.clear()

    def next(self, sha256: str) -> Step:
        for step in self.steps:
            if not step.applies(sha256):
                continue
            if step.after > 0:
                step.after -= 1
                continue
            if step.count is not None:
                step.count -= 1
                if step.count <= 0:
                    self.steps.remove(step)
            return step
        return self.default
