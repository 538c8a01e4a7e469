"""The planned topology as text, so that a change of one queue is read in a review as a diff.

`python -m tests.contract.topology_snapshot > tests/contract/topology.txt` writes it anew.
"""

from shared.topology.plan import QueueKind, plan, render

KINDS: tuple[QueueKind, ...] = ("classic", "quorum")


def snapshot() -> str:
    return "\n".join(f"# work queues: {kind}\n{render(plan(work_kind=kind))}" for kind in KINDS)


if __name__ == "__main__":
    print(snapshot(), end="")  # noqa: T201 -- the command answers on standard output
