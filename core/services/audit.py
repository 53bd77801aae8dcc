"""The audit log: who changed what, from what to what, and why, written in the transaction of the change."""

from typing import Any

from django.db import models, transaction

from core.models import AuditEntry, User


def record(
    *,
    actor: User | None,
    action: str,
    target: models.Model | str,
    before: Any = None,
    after: Any = None,
    reason: str = "",
) -> AuditEntry:
    """Write one entry. `actor` is None where the machine itself acts; `before` and `after` hold only what changed."""
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError(
            f"'{action}' must be recorded inside the transaction that makes the change."
        )
    return AuditEntry.objects.create(
        actor=actor, action=action, target=name_of(target), before=before, after=after, reason=reason
    )


def name_of(target: models.Model | str) -> str:
    """How a row is called in the log, for example `rating.experiment:5f0c...`."""
    if isinstance(target, str):
        return target
    return f"{target._meta.label_lower}:{target.pk}"
