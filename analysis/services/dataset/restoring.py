"""Import of a dataset: the experiment with its collection, seats, answers, texts and exclusions, all or nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_noop as _

from analysis.services.dataset.check import WITHDRAWN, Check, pages_of, verify_dataset
from analysis.services.dataset.columns import TEXTS
from analysis.services.dataset.files import DESCRIPTION, DatasetFiles, as_json, as_number, dataset_unreadable
from core.errors import AppError
from core.models import User
from core.services import audit
from listening.experiment_file.yaml_text import dump_yaml, load_yaml
from listening.models import Seat
from listening.panels.services import restoring as seats
from listening.panels.services.experiment_files import create_from_file
from listening.panels.services.restoring import RestoredPage, RestoredSeat, Seated
from rating.models import Experiment
from rating.question_definitions import read_questions
from rating.questions import SEPARATOR, Kind
from rating.services import experiments
from rating.services.restoring import RestoredVote, check_marks, restore_consents, restore_votes
from stimuli.services.restoring import Cell, find_collection, restore_collection

REASON = "Restored from a dataset in which conditions are named."
SEAT_OF_PERSON = "sub-"


@dataclass(frozen=True)
class ImportedDataset:
    """The experiment that was made, and what is not as it was."""

    experiment: Experiment
    votes: int
    notes: list[str]


def import_dataset(*, files: DatasetFiles, owner: User, sounds: Path | None = None) -> ImportedDataset:
    """Re-create the experiment of a dataset. What the dataset does not hold, and this server cannot find, is named."""
    _check_edition(files)
    if defects := [check for check in verify_dataset(files) if check.defects]:
        raise _defective(files, defects)
    try:
        with transaction.atomic():
            return _Import(files, owner, sounds).run()
    except (KeyError, ValueError, IntegrityError) as error:
        problem = f"a value in it is missing, twice or of another form ({error})"
        raise dataset_unreadable(name=files.name, problem=problem) from error


def _check_edition(files: DatasetFiles) -> None:
    about = files.json(DESCRIPTION)
    if about.get("anonymous"):
        raise AppError(
            "dataset.anonymous",
            409,
            _("'{name}' is an anonymous edition, which has no raw answers. Import the full dataset."),
            name=files.name,
        )
    if about.get("conditions") != "names" or "experiment.yaml" not in files.places:
        raise AppError(
            "dataset.blind",
            409,
            _(
                "In '{name}' conditions are letters. Unblind the experiment, download its dataset again, and import "
                "that one."
            ),
            name=files.name,
        )


def _defective(files: DatasetFiles, defects: list[Check]) -> AppError:
    return AppError(
        "dataset.defective",
        422,
        _("'{name}' has defects, so nothing was imported. {first}"),
        name=files.name,
        first=" ".join(check.line.split(maxsplit=1)[1] for check in defects),
    )


def _time(cell: str) -> datetime | None:
    return parse_datetime(cell) if cell else None


def _moment(cell: str) -> datetime:
    if (found := _time(cell)) is None:
        raise ValueError(f"'{cell}' is no time")
    return found


class _Import:
    """One import, table by table, in a transaction."""

    def __init__(self, files: DatasetFiles, owner: User, sounds: Path | None) -> None:
        self.files, self.owner, self.sounds = files, owner, sounds
        self.now = timezone.now()
        self.design = files.json("design.json")
        self.notes: list[str] = []

    def run(self) -> ImportedDataset:
        experiment = self._experiment()
        seated = seats.restore_seats(experiment=experiment, seats=list(self._seats()), now=self.now)
        seats.restore_design(experiment=experiment, design=self.design, actor=self.owner)
        self._consents(experiment, seated)
        answered = {seated.trials[row["trial_id"]] for row in self.files.rows("trials") if row["answered"] == "true"}
        votes = restore_votes(experiment=experiment, votes=self._votes(seated), answered=answered)
        check_marks(experiment=experiment)
        self._around(experiment, seated)
        return ImportedDataset(self._state(experiment), votes, self.notes)

    # --- What was asked -----------------------------------------------------------------------------------------------

    def _experiment(self) -> Experiment:
        values = load_yaml(self.files.places["experiment.yaml"].read_bytes())
        listed = values["collection"]
        cells = list(self._cells())
        collection = find_collection(cells=cells, owner=self.owner)
        if collection is None:
            collection = restore_collection(
                cells=cells,
                title=listed["title"],
                slug=listed["short_name"],
                owner=self.owner,
                sounds=self.sounds,
            )
            self.notes.append(f"The collection '{collection.slug}' was made of {len(cells)} stimuli.")
        bare = {name: value for name, value in values.items() if name not in ("design", "panels")}
        made = create_from_file(
            content=dump_yaml(bare).encode(), owner=self.owner, collection=collection, in_background=False
        )
        if made.slug != values["short_name"]:
            self.notes.append(f"The short name '{values['short_name']}' is taken; this one is called '{made.slug}'.")
        return made

    def _cells(self) -> Iterator[Cell]:
        for row in self.files.rows("stimuli"):
            text = as_json(row["text"])
            yield Cell(
                item=row["item"],
                condition=row["condition"],
                role=row["condition_role"],
                sha256="" if text else row["sha256"],
                text=text,
                factors=as_json(row["factors"], {}),
                condition_factors=as_json(row["condition_factors"], {}),
                left_out=row["left_out"],
            )

    # --- Seats --------------------------------------------------------------------------------------------------------

    def _seats(self) -> Iterator[RestoredSeat]:
        pages = pages_of(self.files)
        for row in self.files.rows("seats"):
            if row["state"] == WITHDRAWN:
                self.notes.append(f"Panel {row['panel']} seat {row['seat']} was withdrawn, and is left out.")
                continue
            who = row["subject_id"].removeprefix(SEAT_OF_PERSON)
            yield RestoredSeat(
                ballot=row["ballot_id"],
                panel=int(row["panel"]),
                group=row["group"],
                number=int(row["seat"]),
                occupancy=int(row["occupancy"]),
                kind=row["row_type"],
                participant=int(who) if who.isdecimal() else None,
                state=row["state"],
                taken_at=_time(row["taken_at"]),
                seed=row["seed"],
                plan_sha256=row["plan_sha256"],
                pages=tuple(map(_page, pages.get(row["ballot_id"], []))),
            )

    def _consents(self, experiment: Experiment, seated: Seated) -> None:
        names = ("title", "consent_text", "instructions", "debrief", "contact", "reason", "design_sha256")
        texts = [
            {
                "number": int(row["text_version"]),
                "published_at": _moment(row["published_at"]),
                **{name: row[name] for name in names},
            }
            for row in self.files.rows("texts")
            if TEXTS.keys() <= row.keys()
        ]
        agreed = {
            seated.seats[row["ballot_id"]].ballot_id: (
                int(row["text_version"]) if row["text_version"] else None,
                row["consent_sha256"],
                row["consent_language"],
            )
            for row in self.files.rows("seats")
            if row["consent_sha256"] and row["ballot_id"] in seated.seats
        }
        restore_consents(experiment=experiment, texts=texts, agreed=agreed)

    def _votes(self, seated: Seated) -> Iterator[RestoredVote]:
        for row in self.files.rows("answers"):
            yield RestoredVote(
                event_id=UUID(row["event_id"]),
                trial=seated.trials[row["trial_id"]],
                accepted=row["outcome"] == "accepted",
                revision=int(row["revision"]) if row["revision"] else None,
                marks=tuple((slot, scale, float(value)) for slot, scale, value in as_json(row["marks"], [])),
                payload=as_json(row["payload"]),
                heard=as_json(row["heard"], {}),
                client=as_json(row["client"], {}),
                flags=row["flags"].split(),
                received_at=_moment(row["received_at"]),
                protocol=row["protocol"],
                protocol_version=row["protocol_version"],
                label_set=row["label_set"],
                label_set_sha256=row["label_set_sha256"],
            )

    # --- Everything around the answers --------------------------------------------------------------------------------

    def _around(self, experiment: Experiment, seated: Seated) -> None:
        visits = {
            row["visit_id"]: (
                seated.seats[row["ballot_id"]],
                {name: row[name] for name in ("browser", "device_class") if row[name]},
                _moment(row["began_at"]),
                _moment(row["last_seen_at"]),
            )
            for row in self.files.rows("visits")
        }
        checks = [
            (
                row["visit_id"],
                {"step": row["check"], "passed": row["passed"] == "true", "outcome": as_json(row["outcome"], {})},
                _moment(row["at"]),
            )
            for row in self.files.rows("checks")
        ]
        pages = self._pages_by_position(seated)
        reports = [
            (
                row["visit_id"],
                {
                    "kind": row["what"],
                    "detail": as_json(row["detail"], {}),
                    "trial_id": pages[row["ballot_id"], row["position"]] if row["position"] else None,
                },
                _moment(row["at"]),
            )
            for row in self.files.rows("interruptions")
        ]
        seats.restore_visits(visits=visits, checks=checks, reports=reports)
        seats.restore_exclusions(entries=list(self._exclusions(seated, pages)))
        seats.restore_questionnaire(answers=list(self._answers_to_questions(experiment, seated)))
        ends = {row["ballot_id"]: row for row in self.files.rows("seats") if row["ballot_id"] in seated.seats}
        of = {key: seat.ballot_id for key, seat in seated.seats.items()}
        seats.restore_endings(
            closed={of[key]: _moment(row["finished_at"]) for key, row in ends.items() if row["finished_at"]},
            abandoned={of[key]: _moment(row["released_at"]) for key, row in ends.items() if row["released_at"]},
        )

    def _pages_by_position(self, seated: Seated) -> dict[tuple[str, str], UUID]:
        return {
            (row["ballot_id"], row["position"]): seated.trials[row["trial_id"]] for row in self.files.rows("trials")
        }

    def _exclusions(
        self, seated: Seated, pages: dict[tuple[str, str], UUID]
    ) -> Iterator[tuple[dict[str, Any], datetime]]:
        people = {user.username: user for user in User.objects.all()}
        for row in self.files.rows("exclusions"):
            lifted = _time(row["lifted_at"])
            yield (
                {
                    "kind": row["kind"],
                    "seat": seated.seats[row["ballot_id"]],
                    "trial_id": pages[row["ballot_id"], row["position"]] if row["position"] else None,
                    **{name: row[name] for name in ("reason", "rule", "scale", "lifted_reason")},
                    **{name: as_number(row[name]) for name in ("figure", "threshold")},
                    "made_by": people.get(row["made_by"], self.owner),
                    "after_unblinding": row["after_unblinding"] == "true",
                    "lifted_at": lifted,
                    "lifted_by": people.get(row["lifted_by"], self.owner) if lifted else None,
                    "lifted_after_unblinding": row["lifted_after_unblinding"] == "true" if lifted else None,
                },
                _moment(row["made_at"]),
            )

    def _answers_to_questions(
        self, experiment: Experiment, seated: Seated
    ) -> Iterator[tuple[Seat, str, Any, datetime]]:
        kinds = {question.key: question.kind for question in read_questions(experiment.questions)}
        places = {(seat.panel.number, seat.number): seat for seat in seated.seats.values()}  # the last person's
        people = {str(seat.participant): seat for seat in seated.seats.values() if seat.participant}
        for row in self.files.rows("questionnaire"):
            seat = people.get(row["subject_id"]) or places[int(row["panel"]), int(row["seat"])]
            for question, kind in kinds.items():
                if question in row:
                    yield seat, question, _answer(row[question], kind), _moment(row["handed_in_at"])

    # --- The end ------------------------------------------------------------------------------------------------------

    def _state(self, experiment: Experiment) -> Experiment:
        """Close what had gone live: no more answers come in. The hash of the design is computed anew."""
        if self.design["state"] != Experiment.State.DRAFT:
            experiments.go_live(experiment=experiment, actor=self.owner)
            experiment = experiments.close(experiment=experiment, actor=self.owner, reason=REASON)
            if experiment.design_sha256 != self.design["design_sha256"]:
                self.notes.append("The hash of the design is another one, because a name in it was taken here.")
        experiments.unblind(experiment=experiment, actor=self.owner, reason=REASON)
        audit.record(
            actor=self.owner,
            action="experiment.imported",
            target=f"experiment/{experiment.slug}",
            after={"dataset": self.files.name, "design_sha256": self.design["design_sha256"]},
        )
        return Experiment.objects.select_related("collection", "owner").get(pk=experiment.pk)


def _page(page: dict[str, Any]) -> RestoredPage:
    return RestoredPage(
        trial=page["trial_id"],
        session=int(page["session"]),
        kind=page["kind"],
        ask=tuple(page["ask"].split("|")),
        detail=as_json(page["detail"], {}),
        slots=tuple(page["slots"]),
        postponed=int(page["postponed"]),
        skipped=page["skipped"] == "true",
    )


def _answer(cell: str, kind: Kind) -> Any:
    if not cell:
        return None
    if kind is Kind.SEVERAL:
        return cell.split(SEPARATOR)
    if kind in (Kind.NUMBER, Kind.SCALE):
        return float(cell) if "." in cell else int(cell)
    return cell
