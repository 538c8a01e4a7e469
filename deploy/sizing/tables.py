"""What was worked out, as rows for a terminal and for the page."""

from collections.abc import Mapping, Sequence

from deploy.sizing.figures import SERVICES, Figures
from deploy.sizing.needs import Needs

Row = tuple[str, ...]
UNITS = ("B", "KB", "MB", "GB", "TB", "PB")
THOUSAND, TEN = 1000, 10
SERVERS = {"database": "PostgreSQL", "broker": "RabbitMQ"}


def rows(needs: Needs) -> list[Row]:
    asked = needs.asked
    workers = ", ".join(f"{name} {count}" for name, count in needs.services.items())
    quota = "no limit" if needs.quota_per_s == float("inf") else f"{needs.quota_per_s:g}/s"
    over = ": **too many**" if needs.is_above_quota else ""
    told: list[Row] = [
        ("documents", f"{asked.per_hour:,.0f} an hour, {asked.per_day:,.0f} a day"),
        ("workers (`…-work`)", workers),
        ("APIs (`…-serve`)", "two of each of four, and more by their CPU"),
        ("connections", f"{needs.connections:,}"),
        (
            "PostgreSQL",
            f"{needs.cores('database'):.1f} cores, log {size(needs.wal_bytes_per_s)}/s",
        ),
        ("… its disk", f"{size(needs.database_bytes)} for {asked.kept_days} days"),
        (
            "RabbitMQ",
            f"{needs.cores('broker'):.1f} cores, {needs.broker_messages_per_s:,.0f} messages/s",
        ),
        (
            "object store",
            f"{size(needs.object_bytes)}, {needs.objects / 1e6:,.1f} million objects",
        ),
        ("machines", f"about {needs.machine_usd:,.0f} USD a month"),
    ]
    if asked.with_model:
        told += [
            ("calls of the provider", f"{needs.calls_per_s:,.1f}/s of {quota}{over}"),
            ("… under way", f"{needs.calls_per_s * asked.call_s:,.0f}"),
            ("… money", f"about {needs.model_usd:,.0f} USD a month"),
        ]
    return told


def by_load(many: Sequence[Needs]) -> list[Row]:
    """One column for each load."""
    columns = [{name: text for name, text in rows(one)} for one in many]
    return [(name, *(one[name] for one in columns)) for name in columns[0]]


def measured_rows(figures: Figures) -> list[Row]:
    kinds = figures.kinds.values()
    told: list[Row] = [
        (f"CPU of {name}, ms", *(_ms(one.cpu_s, part) for one in kinds))
        for part, name in [*((one, one) for one in SERVICES), *SERVERS.items()]
    ]
    return [
        *told,
        ("database, KB", *(f"{one.database_bytes / 1e3:.1f}" for one in kinds)),
        ("… of which inboxes", *(f"{one.inbox_bytes / 1e3:.1f}" for one in kinds)),
        ("write-ahead log, KB", *(f"{one.wal_bytes / 1e3:.0f}" for one in kinds)),
        (
            "objects beside the original, KB",
            *(f"{one.object_bytes / 1e3:.1f}" for one in kinds),
        ),
        ("messages sent", *(f"{one.messages:.1f}" for one in kinds)),
        ("… bytes of one", *(f"{one.message_bytes:,.0f}" for one in kinds)),
        ("… copies in queues", *(f"{one.queued:.1f}" for one in kinds)),
    ]


def _ms(cpu_s: Mapping[str, float], part: str) -> str:
    return f"{cpu_s.get(part, 0.0) * 1000:.1f}"


def size(count: float) -> str:
    unit = 0
    while count >= THOUSAND and unit < len(UNITS) - 1:
        count, unit = count / THOUSAND, unit + 1
    return f"{count:,.{count < TEN:d}f} {UNITS[unit]}"


def plain(told: Sequence[Row]) -> str:
    widths = [max(map(len, column)) for column in zip(*told, strict=True)]
    lines = (
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
        for row in told
    )
    return "\n".join(line.rstrip() for line in lines)


def markdown(head: Row, told: Sequence[Row]) -> str:
    lines = [head, ("---",) * len(head), *told]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
