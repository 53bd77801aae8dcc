"""Querysets of core's models, and short names that none of a queryset's rows has."""

from itertools import chain, count
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.text import slugify

if TYPE_CHECKING:
    from core.models import ApiToken, Job, User

LONGEST_STEM = 44  # of a derived short name, which leaves space for a number in the field's 50 characters


def free_slug(title: str, *, among: "models.QuerySet[Any]", otherwise: str) -> str:
    """A short name made of the title, or of `otherwise`, with a number where one of these rows has it."""
    stem = slugify(title)[:LONGEST_STEM].strip("-") or otherwise
    taken = set(among.filter(slug__startswith=stem).values_list("slug", flat=True))
    return next(name for name in chain([stem], (f"{stem}-{n}" for n in count(2))) if name not in taken)


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def usable(self) -> "ApiTokenQuerySet":
        return self.filter(revoked_at__isnull=True, expires_at__gt=Now(), user__is_active=True)


class JobQuerySet(models.QuerySet["Job"]):
    def due(self, *, bulk: bool = True) -> "JobQuerySet":
        """Jobs that wait for a worker, by queue and then by how long they have waited; people take turns in a queue.

        Leases and waiting times are judged by the database's clock alone.
        """
        due = self.filter(state="queued", not_before__lte=Now())
        if not bulk:
            due = due.filter(queue__lt=self.model.Queue.BULK)
        return due.order_by("queue", "not_before", "created_at")

    def expired(self) -> "JobQuerySet":
        """Running jobs whose lease has ended: their worker has crashed or hangs."""
        return self.filter(state="running", lease_until__lte=Now())

    def untouched(self, *, key: str) -> "JobQuerySet":
        """The job, if any, that waits under this key and that no worker has ever claimed."""
        return self.filter(state="queued", token=0, key=key)

    def unfinished(self) -> "JobQuerySet":
        return self.filter(state__in=["queued", "running"])

    def stopped(self) -> "JobQuerySet":
        """Those that ended without having done their work."""
        return self.filter(state__in=["failed", "cancelled"])

    def visible_to(self, user: "User") -> "JobQuerySet":
        return self if user.is_admin else self.filter(Q(requested_by=user))
