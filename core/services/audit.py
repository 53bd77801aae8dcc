"""The audit log: who changed what, from what to what, and why, written in the transaction of the change.

Each entry carries a keyed hash over itself and the entries before it, so that none can be altered, removed or added.
"""

from collections.abc import Iterator
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from core.hashing import canonical
from core.hmacs import hmac_of, valid_hmacs
from core.models import AuditEntry, AuditHead, User

SIGNED_AS_JSON = ("before", "after")
SIGNED_FIELDS = ("at", "actor_id", "action", "target", "reason")
HEAD = 1
MOST_DIGITS = 18  # of a 64-bit number that no database refuses


def record(
    *,
    actor: User | None,
    action: str,
    target: models.Model | str,
    before: Any = None,
    after: Any = None,
    reason: str = "",
) -> AuditEntry:
    """Write one entry. `actor` is None where the machine itself acts; `before` and `after` hold only what changed.

    Entries follow each other: the head stays locked until the transaction ends, so record after taking other locks.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError(
            f"'{action}' must be recorded inside the transaction that makes the change."
        )
    head, _ = AuditHead.objects.select_for_update().get_or_create(pk=HEAD)
    entry = AuditEntry(
        at=timezone.now(),
        actor=actor,
        action=action,
        target=name_of(target),
        before=before,
        after=after,
        reason=reason,
    )
    entry.seal = hmac_of(_message(entry, head.seal))
    entry.save(force_insert=True)
    AuditHead.objects.filter(pk=HEAD).update(seal=hmac_of(_head_message(entry.seal)))
    return entry


def name_of(target: models.Model | str) -> str:
    """How a row is called in the log, for example `rating.experiment:5f0c...`."""
    if isinstance(target, str):
        return target
    return f"{target._meta.label_lower}:{target.pk}"


def root_of(entry: AuditEntry) -> str:
    """The log up to this entry in one line, to be kept where nobody who can alter the database can alter it."""
    return f"{entry.pk}-{entry.seal}"


def holds_root(root: str) -> bool:
    """Whether the log still has the entry that this root was made of; the entries before it are in its seal."""
    number, _, kept = root.strip().partition("-")
    if not (number.isascii() and number.isdigit() and len(number) <= MOST_DIGITS and kept):
        return False
    return AuditEntry.objects.filter(pk=int(number), seal=kept).exists()


def broken_entries() -> Iterator[AuditEntry]:
    """The entries that do not fit their own seal or the entry before."""
    heads = [""]
    for entry in AuditEntry.objects.order_by("id").iterator():
        if all(entry.seal not in valid_hmacs(_message(entry, head)) for head in heads):
            yield entry
        heads = valid_hmacs(_head_message(entry.seal))


def ends_with_head() -> bool:
    """Whether the last entry is the one that was written last."""
    last = AuditEntry.objects.order_by("id").last()
    head = AuditHead.objects.filter(pk=HEAD).first()
    stored = head.seal if head else ""
    return stored in (valid_hmacs(_head_message(last.seal)) if last else [""])


def _message(entry: AuditEntry, head: str) -> bytes:
    parts = {name: getattr(entry, name) for name in SIGNED_AS_JSON}
    return b"audit " + canonical(parts | {name: str(getattr(entry, name)) for name in SIGNED_FIELDS} | {"head": head})


def _head_message(entry_seal: str) -> bytes:
    return f"audit head {entry_seal}".encode()
