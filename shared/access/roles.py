"""What each role may do: the one table from roles to permissions.

A permission reads area:resource:action and belongs to one kind of request; a role is a bundle
of them. Nothing is inherited and there are no wildcards, so the table can be read aloud.
"""

from collections.abc import Iterable, Mapping

_OWN_DOCUMENTS = frozenset(
    {
        "documents:own:create",
        "documents:own:read",
        "documents:own:cancel",
        "documents:own:delete",
    }
)
# Whoever hands documents in says where to be told of them.
_OWN_WEBHOOKS = frozenset({"webhooks:own:read", "webhooks:own:manage"})
# And takes what was approved of them.
_OWN_HANDOVER = frozenset({"handover:own:manage"})
_REVIEW = frozenset(
    {
        "documents:all:read",
        "files:original:read",
        "review:items:read",
        "review:items:claim",
        "review:items:correct",
        "review:items:approve",
        "audit:own:read",
    }
)
# Taking an item from somebody who holds it, and opening again what was decided.
_LEAD = frozenset({"review:items:assign", "review:items:reopen", "audit:all:read"})
# Sees how everything stands, and can do nothing.
_VIEW = frozenset(
    {
        "documents:all:read",
        "webhooks:all:read",
        "dlq:messages:view",
        "ops:overview:read",
        "audit:all:read",
    }
)
_OPERATE = _VIEW | {
    "documents:all:hold",
    "dlq:messages:replay",
    "dlq:messages:archive",
    "queues:all:pause",
}
# Apart from operating: a letter's body holds what a customer sent us.
_LETTERS = frozenset({"dlq:payload:view", "dlq:log:view", "dlq:messages:edit"})
_RULE = frozenset(
    {
        "documents:all:cancel",
        "documents:all:delete",
        "documents:all:reprocess",
        "webhooks:all:manage",
        "handover:all:manage",
        "dlq:messages:purge",
        "keys:all:manage",
        "settings:all:write",
    }
)

ROLES: Mapping[str, frozenset[str]] = {
    "submitter": _OWN_DOCUMENTS | _OWN_WEBHOOKS | _OWN_HANDOVER,
    "reviewer": _REVIEW,
    "lead": _REVIEW | _LEAD,
    "viewer": _VIEW,
    "operator": _OPERATE,
    "editor": _OPERATE | _LETTERS,
    "admin": frozenset().union(
        *(_OWN_DOCUMENTS, _OWN_WEBHOOKS, _OWN_HANDOVER),
        *(_REVIEW, _LEAD, _OPERATE, _LETTERS, _RULE),
    ),
}

PERMISSIONS = frozenset().union(*ROLES.values())


def permissions_of(roles: Iterable[str], scopes: Iterable[str] = ()) -> frozenset[str]:
    """Scopes narrow a key to some of what its roles allow; they never add to it."""
    # A role this version does not know gives nothing: it may come from a newer one.
    allowed = frozenset[str]().union(*(ROLES.get(role, frozenset()) for role in roles))
    narrowed = frozenset(scopes)
    return allowed & narrowed if narrowed else allowed


def check_roles(roles: Iterable[str], scopes: Iterable[str]) -> None:
    """Raises ValueError naming what nobody knows: a misspelt role would allow nothing."""
    unknown = sorted({*roles} - ROLES.keys()) + sorted({*scopes} - PERMISSIONS)
    if unknown:
        raise ValueError(f"unknown: {', '.join(unknown)}; roles are {', '.join(ROLES)}")
