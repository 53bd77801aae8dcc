"""Groups of jobs for people: jobs of one name about one thing are one line, with counts, progress and what it is about.

What an id in a job's `about` stands for is known to the app that has the table: its tasks module declares a `subject`.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, Max, Min, Q, QuerySet, Sum, When
from django.utils.translation import gettext

from core.jobs import declared_jobs, notify, queue
from core.models import Job, User
from core.querysets import JobQuerySet

States = Job.State
OPEN = (States.FAILED, States.RUNNING, States.QUEUED)


@dataclass(frozen=True)
class Subject:
    """What a job is about, and the page that shows it."""

    name: str
    address: str


Finder = Callable[[Collection[str]], dict[str, Subject]]
_finders: dict[str, Finder] = {}


def subject(kind: str) -> Callable[[Finder], Finder]:
    """Declare a function as the one that knows the subjects of a kind, such as "experiment", by their ids."""

    def declare(finder: Finder) -> Finder:
        _finders[kind] = finder
        return finder

    return declare


def subjects_of(abouts: Collection[str]) -> dict[str, Subject]:
    """What these values of `about` stand for; one that no longer exists is left out."""
    declared_jobs()  # loads every tasks module
    by_kind: dict[str, set[str]] = defaultdict(set)
    for about in abouts:
        kind, _colon, key = about.partition(":")
        by_kind[kind].add(key)
    return {
        f"{kind}:{key}": found
        for kind, keys in by_kind.items()
        if kind in _finders
        for key, found in _finders[kind](keys).items()
    }


@dataclass(frozen=True)
class JobGroup:
    """One line: jobs of one name about one thing."""

    name: str
    about: str
    title: str
    subject: Subject | None
    owner: str
    oldest: datetime
    finished: datetime | None
    counts: dict[str, int]  # by state
    progress: tuple[int, int] | None  # done, of so many
    note: str
    error: str
    stopping: int

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def state(self) -> str:
        """The state that needs a person most."""
        order = (*OPEN, States.CANCELLED, States.DONE)
        return next(state for state in order if self.counts[state])

    @property
    def is_unfinished(self) -> bool:
        return bool(self.counts[States.QUEUED] or self.counts[States.RUNNING])

    @property
    def can_be_cancelled(self) -> bool:
        return self.counts[States.QUEUED] + self.counts[States.RUNNING] > self.stopping

    @property
    def is_stopped(self) -> bool:
        return bool(self.counts[States.FAILED] or self.counts[States.CANCELLED])


def counts() -> dict[str, int]:
    found = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
    return {state: found.get(state, 0) for state in States.values}


def rows(state: str = "", *, among: JobQuerySet | None = None) -> "QuerySet[Any, Any]":
    """One row for each group of the jobs in this state, or of those that are not over: failed ones first."""
    jobs = (Job.objects.all() if among is None else among).filter(state__in=[state] if state in States.values else OPEN)
    grouped = (
        jobs.order_by()
        .values("name", "about")
        .annotate(
            **{f"in_{each}": Count("pk", filter=Q(state=each)) for each in States.values},
            stopping=Count("pk", filter=Q(state=States.RUNNING, cancel_asked_at__isnull=False)),
            oldest=Min("created_at"),
            finished=Max("finished_at"),
            owner=Max("requested_by__username"),
            done=Sum("progress_done", filter=Q(state=States.RUNNING)),
            of=Sum("progress_total", filter=Q(state=States.RUNNING)),
        )
    )
    if state in (States.DONE, States.CANCELLED):
        return grouped.order_by("-finished", "name", "about")
    urgency = Case(When(in_failed__gt=0, then=0), When(in_running__gt=0, then=1), default=2)
    return grouped.order_by(urgency, "oldest", "name", "about")


def groups(found: Sequence[dict[str, Any]]) -> list[JobGroup]:
    """The lines of these rows, with their subjects, errors and how many of each group are done."""
    subjects = subjects_of({row["about"] for row in found if row["about"]})
    return [_group(row, subjects.get(row["about"])) for row in found]


def cancel(*, name: str, about: str, actor: User) -> tuple[int, int]:
    """Take back the jobs of a group that wait, and ask those that run to stop; return how many of each."""
    return queue.cancel(_jobs(name, about), target=_target(name, about), actor=actor)


def retry(*, name: str, about: str, actor: User) -> int:
    """Return the failed and cancelled jobs of a group to the queue; return how many."""
    back = [job for job in _jobs(name, about).stopped() if queue.retry(job=job, actor=actor)]
    for job in back:
        notify.notify(job)
    return len(back)


def _group(row: dict[str, Any], found: Subject | None) -> JobGroup:
    name, about = row["name"], row["about"]
    by_state = {state: int(row[f"in_{state}"]) for state in States.values}
    unfinished = by_state[States.QUEUED] + by_state[States.RUNNING]
    jobs, progress, note = _jobs(name, about), None, ""
    if unfinished and not by_state[States.DONE]:
        # Those that ended since the oldest of the others was asked for belong to the same piece of work.
        by_state[States.DONE] = jobs.filter(state=States.DONE, finished_at__gte=row["oldest"]).count()
    if unfinished == 1 and by_state[States.RUNNING]:
        progress = (int(row["done"] or 0), int(row["of"] or 0))
        note = jobs.filter(state=States.RUNNING).values_list("progress_note", flat=True).first() or ""
    elif unfinished + by_state[States.DONE] > 1 and unfinished:
        progress = (by_state[States.DONE], by_state[States.DONE] + unfinished)
    failed = jobs.filter(state=States.FAILED).order_by("-finished_at") if by_state[States.FAILED] else None
    kind = declared_jobs().get(name)
    return JobGroup(
        name=name,
        about=about,
        title=gettext(kind.title) if kind and kind.title else "",
        subject=found,
        owner=row["owner"] or "",
        oldest=row["oldest"],
        finished=row["finished"],
        counts=by_state,
        progress=progress,
        note=note,
        error=failed.values_list("error", flat=True).first() or "" if failed is not None else "",
        stopping=row["stopping"],
    )


def _jobs(name: str, about: str) -> JobQuerySet:
    return Job.objects.filter(name=name, about=about)


def _target(name: str, about: str) -> str:
    return f"jobs {name} {about}".strip()
