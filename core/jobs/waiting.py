"""Waiting time of a job for the person who waits: its place in the queue, and an estimate of when it starts."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from uuid import UUID

from django.utils.translation import gettext, ngettext

from core.jobs.queue import turns
from core.models import Job
from core.querysets import JobQuerySet

LATEST = 20  # finished jobs of a name, by which the next one is judged
MINUTE_S = 60


@dataclass(frozen=True)
class Wait:
    """How many are claimed before it, itself included; None of seconds where nothing is known of those ahead."""

    place: int
    starts_in_s: float | None


def wait_of(job: Job, *, now: datetime) -> Wait | None:
    """What a waiting job waits for; none where it runs, is over, or is to be tried again later."""
    if job.state != Job.State.QUEUED or job.not_before > now:
        return None
    due = Job.objects.filter(state=Job.State.QUEUED, not_before__lte=now).order_by("not_before", "created_at")
    sooner = due.filter(queue__lt=job.queue).values_list("name", flat=True)
    counts = Counter(sooner) + Counter(_names_ahead(job, due.filter(queue=job.queue)))
    # Workers stay free of bulk jobs for those before them in the order.
    running = Job.objects.filter(state=Job.State.RUNNING, queue__lte=job.queue)
    started = list(running.values_list("name", "started_at"))
    usual = _usual_s({*counts, *(name for name, _at in started)})
    place = 1 + sum(counts.values())
    if any(name not in usual for name in counts):
        return Wait(place, None)
    waiting_s = sum(usual[name] * count for name, count in counts.items())
    left_s = sum(max(0.0, usual.get(name, 0.0) - (now - at).total_seconds()) for name, at in started if at)
    return Wait(place, (waiting_s + left_s) / max(1, len(started)))


def _names_ahead(job: Job, waiting: JobQuerySet) -> Iterator[str]:
    """The names of those jobs of the same queue that are claimed before this one, because people take turns."""
    by_owner: dict[int | None, list[tuple[UUID, str]]] = defaultdict(list)
    for pk, name, asked_by in waiting.values_list("pk", "name", "requested_by"):
        by_owner[asked_by].append((pk, name))
    own = [pk for pk, _name in by_owner[job.requested_by_id]]
    turn = own.index(job.pk) if job.pk in own else 0  # it may have been claimed a moment ago
    is_before = True
    for _lane, owner in turns(waiting):
        is_before = is_before and owner != job.requested_by_id
        yield from (name for _pk, name in by_owner[owner][: turn + is_before])


def _usual_s(names: Collection[str]) -> dict[str, float]:
    """How long the latest jobs of each name took, those that have ended once."""
    found: dict[str, float] = {}
    for name in names:
        done = Job.objects.filter(name=name, state=Job.State.DONE).order_by("-finished_at")
        times = done.values_list("started_at", "finished_at")[:LATEST]
        if spans := [(end - begin).total_seconds() for begin, end in times if begin and end]:
            found[name] = median(spans)
    return found


def wait_sentence(wait: Wait) -> str:
    """The same in words."""
    place = gettext("Place %(place)s in the queue") % {"place": wait.place}
    if wait.starts_in_s is None:
        return place
    if wait.starts_in_s < MINUTE_S:
        return gettext("%(place)s, starts within a minute") % {"place": place}
    minutes = round(wait.starts_in_s / MINUTE_S)
    said = ngettext(
        "%(place)s, starts in about %(minutes)s minute", "%(place)s, starts in about %(minutes)s minutes", minutes
    )
    return said % {"place": place, "minutes": minutes}
