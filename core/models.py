"""Models of core: accounts and their tokens, the audit log, background jobs."""

import uuid

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.querysets import ApiTokenQuerySet, JobQuerySet


class BaseModel(models.Model):
    """A random key, so that an id in an address tells nothing, and the moment of creation."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class User(AbstractUser):
    """A person with a password: an experimenter, who sees own and shared experiments, or an admin, who sees all."""

    class Role(models.TextChoices):
        EXPERIMENTER = "experimenter", _("Experimenter")
        ADMIN = "admin", _("Admin")

    role = models.CharField(max_length=20, choices=Role, default=Role.EXPERIMENTER)
    # When the newest link to choose a password was made. The link is derived from it (core.services.password_links).
    password_link_at = models.DateTimeField(null=True, blank=True)
    # What this person may store, where it is not what everybody may (UPLOAD_QUOTA_GB).
    quota_gb = models.FloatField(null=True, blank=True)

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(name="user_role_known", condition=Q(role__in=["experimenter", "admin"])),
            models.CheckConstraint(
                name="user_quota_not_negative", condition=Q(quota_gb__isnull=True) | Q(quota_gb__gte=0)
            ),
        ]

    @property
    def is_admin(self) -> bool:
        return self.role == self.Role.ADMIN


class ApiToken(BaseModel):
    """A key for scripts: scoped, expiring, shown once and kept only as a digest."""

    class Scope(models.TextChoices):
        READ = "read", _("Read")
        WRITE = "write", _("Write")
        UNBLIND = "unblind", _("Unblind")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    scopes = models.JSONField()
    digest = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class AuditEntry(models.Model):
    """Who changed what, from what to what, and why; written in the transaction of the change, never altered."""

    at = models.DateTimeField(default=timezone.now)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    action = models.CharField(max_length=100)
    target = models.CharField(max_length=200, db_index=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.TextField(blank=True)
    seal = models.CharField(max_length=64)  # covers the row and, through the head, all rows before it

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"


class AuditHead(models.Model):
    """The end of the audit log, in one row: locked by each entry, and keyed, so that the last entries cannot go."""

    seal = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return self.seal[:12]


class Job(BaseModel):
    """One piece of background work: written with its cause, claimed under a lease, fenced by a token."""

    class State(models.TextChoices):
        QUEUED = "queued", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    class Queue(models.IntegerChoices):
        """Where it waits, also the Celery queue of that name; the lowest number is claimed first."""

        INTERACTIVE = 0, "interactive"
        RESULTS = 1, "results"
        BULK = 2, "bulk"

    name = models.CharField(max_length=100)
    arguments = models.JSONField(default=dict)
    # What it works on, such as "experiment:5f0c...", taken from the arguments: a page shows such jobs in one line.
    about = models.CharField(max_length=100, blank=True)
    # At most one job that no worker has touched may carry a given key; empty means that several may wait at once.
    # A claimed one does not count: it may have read the tables already, and rows that came later need another run.
    key = models.CharField(max_length=200, blank=True)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    queue = models.PositiveSmallIntegerField(choices=Queue, default=Queue.BULK)
    not_before = models.DateTimeField(db_default=Now())
    attempts = models.PositiveSmallIntegerField(default=0)
    # The fencing token: it grows with every claim, and an effect commits only under the newest one.
    token = models.PositiveIntegerField(default=0)
    worker = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True)
    cancel_asked_at = models.DateTimeField(null=True)  # of a running job, which stops at its next report or commit
    progress_done = models.PositiveBigIntegerField(default=0)
    progress_total = models.PositiveBigIntegerField(default=0)
    progress_note = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = JobQuerySet.as_manager()

    @property
    def title(self) -> str:
        """What it does, for people; its name where nobody waits for it."""
        from core.jobs import declared_jobs  # which imports this module

        kind = declared_jobs().get(self.name)
        return gettext(kind.title) if kind and kind.title else self.name

    @property
    def waiting_note(self) -> str:
        """Its place in the queue and when it will start, for people; nothing where it does not wait for others."""
        from core.jobs.waiting import wait_of, wait_sentence  # which imports this module

        wait = wait_of(self, now=timezone.now())
        return wait_sentence(wait) if wait else ""

    class Meta:
        ordering = ["created_at"]
        # A person's next job is the first row of `job_due` that is theirs; `job_turns` says when they had a turn.
        indexes = [
            models.Index(fields=["state", "queue", "not_before", "created_at"], name="job_due"),
            models.Index(fields=["name", "about"], name="job_about"),
            models.Index(fields=["queue", "requested_by", "started_at"], name="job_turns"),
        ]
        constraints = [
            models.CheckConstraint(
                name="job_state_known",
                condition=Q(state__in=["queued", "running", "done", "failed", "cancelled"]),
            ),
            models.CheckConstraint(
                name="job_running_has_lease", condition=~Q(state="running") | Q(lease_until__isnull=False)
            ),
            models.UniqueConstraint(
                name="job_key_once_untouched",
                fields=["key"],
                condition=Q(state="queued", token=0) & ~Q(key=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.state})"

    @property
    def is_unfinished(self) -> bool:
        return self.state in (self.State.QUEUED, self.State.RUNNING)

    @property
    def is_stopped(self) -> bool:
        """Whether it ended without having done its work, and can be tried again."""
        return self.state in (self.State.FAILED, self.State.CANCELLED)
