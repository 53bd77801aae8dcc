"""Dashboard: lines above the list of experiments, each with the page where it is done."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from core import doctor
from core.check_result import Level
from core.jobs import groups
from core.models import Job, User
from listening.models import Invitation
from listening.panels.services import panels
from rating.label_sets import labels_of
from rating.models import Collaborator, Experiment
from rating.protocol import LabelStatus
from stimuli.models import Import

FAILED_SHOWN = 5
FAILED_FOR = timedelta(days=14)  # a failed job is old news after that; admins still see it on the page of jobs


@dataclass(frozen=True)
class Need:
    """One line. `level` is that of its pill: bad, warn, ok for what is ready, info for what only takes time."""

    level: str
    subject: str
    sentence: str
    address: str


def needs_of(user: User, *, now: datetime) -> list[Need]:
    """The most urgent first; the number of queries does not grow with the number of experiments."""
    own = Q(owner=user) | Q(pk__in=_edited(user))
    kept = Experiment.objects.for_people().filter(own, deleted_at__isnull=True, archived_at__isnull=True)
    shown = list(kept.newest_first())
    needs = [
        *(_of_service() if user.is_admin else ()),
        *_failed_jobs(user, now),
        *_imports(user),
        *_experiments(shown, now),
    ]
    order = ("bad", "warn", "ok", "info")
    return sorted(needs, key=lambda need: order.index(need.level))


def _edited(user: User) -> Any:
    shares = Collaborator.objects.filter(user=user, role=Collaborator.Role.EDITOR)
    return shares.values("experiment")


def _of_service() -> Iterator[Need]:
    said = {
        "disk": (gettext("The disk has little space left."), reverse("stimuli:storage")),
        "copies": (gettext("There is no recent backup of the database."), reverse("core:backups")),
        "restore": (gettext("The last backup could not be restored."), reverse("core:backups")),
        "worker": (gettext("No worker is running, or jobs wait for long."), reverse("core:service")),
        "failed jobs": (gettext("Some jobs have failed."), reverse("core:jobs") + "?state=failed"),
    }
    for finding in doctor.urgent():
        sentence, address = said.get(finding.piece, (finding.sentence, reverse("core:service")))
        yield Need("bad" if finding.level is Level.PROBLEM else "warn", gettext("Service"), sentence, address)


def _failed_jobs(user: User, now: datetime) -> Iterator[Need]:
    lately = Job.objects.filter(requested_by=user, finished_at__gt=now - FAILED_FOR)
    for group in groups.groups(list(groups.rows(Job.State.FAILED, among=lately)[:FAILED_SHOWN])):
        if group.subject:
            sentence = gettext("Failed: %(job)s. Try again, or ask an admin.") % {"job": group.title or group.name}
            yield Need("bad", group.subject.name, sentence, group.subject.address)


def _imports(user: User) -> Iterator[Need]:
    states = {
        Import.State.PROPOSED: ("ok", gettext("The files are checked. Look at what was found and import the clips.")),
        Import.State.HAS_ERRORS: (
            "warn",
            gettext("Some files have errors. Leave them out or replace them, then import the clips."),
        ),
    }
    for one in Import.objects.filter(owner=user, state__in=states).select_related("collection"):
        level, sentence = states[Import.State(one.state)]
        address = reverse("stimuli:import", args=[one.collection.slug, one.pk])
        yield Need(level, one.collection.title, sentence, address)


def _experiments(shown: list[Experiment], now: datetime) -> Iterator[Need]:
    by_key = panels.overviews(experiments=shown, now=now)
    valid = Invitation.objects.filter(expires_at__gt=now, revoked_at__isnull=True, many=True)
    for_many = set(valid.filter(panel__experiment__in=shown).values_list("panel__experiment", flat=True))
    busy = set(Job.objects.unfinished().filter(about__startswith="experiment:").values_list("about", flat=True))
    for experiment in shown:
        found = by_key.get(experiment.pk, [])
        sums = {name: sum(panel[name] for panel in found) for name in ("total", "open", "finished", "needed")}
        if f"experiment:{experiment.pk}" in busy:
            continue
        if experiment.state == Experiment.State.DRAFT:
            yield from _draft(experiment, sums["total"])
        else:
            yield from _running(experiment, sums, for_many)


def _draft(experiment: Experiment, seats: int) -> Iterator[Need]:
    address = reverse("rating:experiment", args=[experiment.slug])
    if not seats:
        yield Need("info", experiment.title, gettext("A draft without seats for listeners."), address)
    elif labels_of(experiment).status != LabelStatus.DRAFT:
        said = gettext("The draft has seats. Check the list and go live.")
        yield Need("ok", experiment.title, said, address + "#next-steps")


def _running(experiment: Experiment, sums: dict[str, int], for_many: set[UUID]) -> Iterator[Need]:
    people = reverse("listening:people", args=[experiment.slug])
    is_over = experiment.state == Experiment.State.CLOSED or 0 < sums["total"] == sums["finished"]
    if is_over:
        if experiment.unblinded_at is None and sums["finished"]:
            said = gettext("The results are ready. Conditions are letters until you unblind them.")
            yield Need("ok", experiment.title, said, reverse("analysis:results", args=[experiment.slug]))
        return
    if experiment.state == Experiment.State.PAUSED:
        yield Need("warn", experiment.title, gettext("Paused: no listener can start."), people)
    elif not sums["total"]:
        yield Need("warn", experiment.title, gettext("No seats for listeners yet."), people)
    elif sums["needed"] and experiment.pk not in for_many:
        said = ngettext("%(n)s open seat has no link yet.", "%(n)s open seats have no link yet.", sums["needed"])
        yield Need("warn", experiment.title, said % {"n": intcomma(sums["needed"])}, people)
    elif sums["open"]:
        said = ngettext(
            "%(n)s of %(total)s seats is still open.", "%(n)s of %(total)s seats are still open.", sums["open"]
        )
        counts = {"n": intcomma(sums["open"]), "total": intcomma(sums["total"])}
        address = reverse("listening:monitor", args=[experiment.slug])
        yield Need("info", experiment.title, said % counts, address)
