"""A small P.835 test with all that a dataset tells: revisions, a released seat, checks, reports, exclusions."""

import csv
import hashlib
import io
import zipfile
from pathlib import Path
from uuid import uuid4

from django.utils import timezone

from analysis.services.dataset.archive import export_dataset
from listening.models import QuestionAnswer, SetupStep, Visit
from listening.panels.services.exclusions import Target, exclude, lift
from listening.panels.services.seats import reissue_seat
from listening.participation.services.reports import ReportEvent, receive_report
from listening.participation.services.visits import finish_visit
from rating.models import Ballot, Experiment
from rating.services.editing import amend_texts
from rating.services.experiments import unblind
from rating.services.votes import cast_vote
from tests.analysis.p835_material import listen, p835_experiment, refresh
from tests.factories import marks, seated_visit, vote_event

Files = dict[str, bytes]
AGES = ("25_34", "25_34", "25_34", "35_44")
QUESTIONS = [{"ready": "age_band", "place": "before", "required": False}]


def eventful_experiment(*, listeners: int = 4) -> Experiment:
    """Listeners on a free seat each; the first one changed an answer, and one seat was released to nobody yet."""
    made = p835_experiment(seats=listeners + 2, questions=QUESTIONS)
    for number in range(listeners):
        _attend(made, number)
    gone = seated_visit(made)
    trial = gone.seat.ballot.trials.earliest("position")
    cast_vote(ballot_id=gone.seat.ballot_id, event=vote_event(trial, payload=marks(2, scale=trial.ask[0])))
    reissue_seat(seat=gone.seat, now=timezone.now(), actor=made.owner, reason="gone")
    made = amend_texts(experiment=made, actor=made.owner, debrief="Thank you.", reason="it was missing")
    lifted = exclude(experiment=made, actor=made.owner, target=Target(listener="sub-0002"), reason="too soon")
    lift(experiment=made, entry_id=lifted.pk, actor=made.owner, reason="a mistake")
    exclude(experiment=made, actor=made.owner, target=Target(listener="sub-0001", position=9), reason="a sneeze")
    refresh()
    return Experiment.objects.get(pk=made.pk)


def _attend(made: Experiment, number: int) -> Ballot:
    ballot = listen(made, shift=number)
    visit = Visit.objects.get(seat__ballot=ballot)
    device = {"browser": f"Firefox 12{number}", "device_class": "phone" if number == 3 else "desktop"}
    Visit.objects.filter(pk=visit.pk).update(device=device)
    SetupStep.objects.create(visit=visit, step="ears", outcome={"answers": ["left"]}, passed=number != 1)
    SetupStep.objects.create(visit=visit, step="level", outcome={"level_db": -1.5}, passed=True)
    now = timezone.now()
    QuestionAnswer.objects.create(
        seat=visit.seat,
        participant=visit.seat.participant,
        question="age_band",
        value=AGES[number % len(AGES)],
        saved_at=now,
        handed_in_at=now,
    )
    trial = ballot.trials.get(position=7)
    if number == 0:
        again = vote_event(
            trial, revision=1, payload=marks(5, scale=trial.ask[0]), heard={"answer_ms": 700, "stall_ms": 300}
        )
        assert cast_vote(ballot_id=ballot.pk, event=again).status == "stored"
    receive_report(visit=visit, event=ReportEvent(uuid4(), "stall", trial.pk, {"stall_ms": 300}), now=now)
    if number < 2:
        finish_visit(visit=Visit.objects.get(pk=visit.pk), now=now)
    return ballot


def named(experiment: Experiment) -> Experiment:
    return unblind(experiment=experiment, actor=experiment.owner, reason="test")


def packed(experiment: Experiment, **how: object) -> bytes:
    return b"".join(export_dataset(experiment=experiment, actor=experiment.owner, **{"simulated": False, **how}))  # type: ignore[arg-type]


def files_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def table(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    (content,) = (text for path, text in files.items() if path.endswith(f"description-{name}_data.csv"))
    return list(csv.DictReader(io.StringIO(content.decode())))


def written(place: Path, files: Files, *, sums: bool = True) -> Path:
    """Pack files as a dataset; with new checksums, as a person would who alters it on purpose."""
    if sums:
        listed = {name: text for name, text in files.items() if name != "checksums.sha256"}
        lines = [f"{hashlib.sha256(text).hexdigest()}  {name}\n" for name, text in listed.items()]
        files = listed | {"checksums.sha256": "".join(lines).encode()}
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(f"a-test/{name}", text)
    return place
