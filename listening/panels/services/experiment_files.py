"""Experiments as files: written with everything that shapes them, and created from a file, all of it or nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.hashing import digest
from core.i18n import LazyMessage, pack_messages, translate_messages
from core.jobs import JobRun, enqueue, job
from core.models import User
from core.services import audit
from listening.design.base import IMPORTED, DesignRequest
from listening.design.subsets.in_subprocess import LONGEST_IN_BACKGROUND_S, plan_subsets_in_subprocess
from listening.experiment_file.declaration import DESIGN, FORMAT, SESSION, file_problems
from listening.experiment_file.yaml_text import dump_yaml, load_yaml
from listening.models import Design, Seat
from listening.panels.services import designs, panels
from listening.panels.services.experiment_file_parts import (
    check_sha256,
    create_parts,
    extend_as_written,
    part_problems,
    written_extensions,
    written_parts,
)
from listening.panels.services.session_settings import (
    RETURN_URLS,
    change_session_settings,
    check_return_url,
    session_settings_of,
)
from rating.models import Ballot, Experiment
from rating.protocol import WHOLE_ITEM
from rating.registry import get_protocol
from rating.services.access import let_read
from rating.services.experiments import create_experiment, free_slug, usual_label_set
from rating.services.texts import standard_consent
from stimuli.imports.reports import some
from stimuli.models import Collection, Stimulus

MOST_SEATS = 2000
TEXT_FIELDS = {"consent": "consent_text", "instructions": "instructions", "debrief": "debrief"}
CSV = "csv"


class ExperimentFileRejected(AppError):
    """A file that is no experiment: the message names the first problem, `problems` all of them."""

    def __init__(self, problems: Sequence[LazyMessage]) -> None:
        super().__init__(
            "experiment_file.rejected",
            422,
            _("The file cannot be used. {first} Problems: {count}."),
            first=problems[0],
            count=len(problems),
            rows=[str(problem) for problem in problems],
        )
        self.problems = problems

    def translated(self, gettext: Any) -> list[str]:
        """Every problem in another language."""
        return [translate_messages(pack_messages({"said": one}), gettext)["said"] for one in self.problems]


# --- Writing ----------------------------------------------------------------------------------------------------------


def export_experiment(*, experiment: Experiment, actor: User | None) -> str:
    """The experiment as YAML, for a person who may see it; the log keeps that it was taken."""
    design = Design.objects.filter(experiment=experiment).first()
    blind = experiment.state != Experiment.State.DRAFT and experiment.unblinded_at is None
    if actor and blind and design and design.preset == IMPORTED:
        raise AppError(
            "experiment_file.blind",
            409,
            _(
                "The design came from files that name the condition of every page, which you would see before the "
                "experiment is unblinded. Unblind it first, or have an admin run manage.py export_experiment."
            ),
        )
    written = experiment_yaml(experiment)
    with transaction.atomic():
        target = f"experiment/{experiment.slug}"
        audit.record(actor=actor, action="experiment.exported", target=target, after={"what": "file"})
    return written


def experiment_yaml(experiment: Experiment) -> str:
    """The experiment as YAML; the caller records the download."""
    return dump_yaml(_file_of(experiment, Design.objects.filter(experiment=experiment).first()))


def _file_of(experiment: Experiment, design: Design | None) -> dict[str, Any]:
    protocol, session = get_protocol(experiment.protocol), session_settings_of(experiment)
    options = {**protocol.defaults, **experiment.options}
    written: dict[str, Any] = {
        "earmark": FORMAT,
        "title": experiment.title,
        "short_name": experiment.slug,
        "protocol": experiment.protocol,
        "label_set": experiment.label_set,
        "language": experiment.language,
        "contact": experiment.contact,
        "seed": experiment.seed,
        "texts": {key: getattr(experiment, field) for key, field in TEXT_FIELDS.items()},
        "options": {name: _sorted(options[name]) for name in protocol.options},
        "session": {name: value for name in SESSION.keys if (value := getattr(session, name)) is not None},
        **written_parts(experiment),
        "collection": _collection(experiment.collection),
    }
    if design is not None:
        written["design"] = _design(experiment, design)
    elif seated := _panels(experiment):
        written["panels"] = seated
    return written


def _collection(collection: Collection) -> dict[str, Any]:
    conditions, stimuli = _contents(collection)
    return {"short_name": collection.slug, "title": collection.title, "conditions": conditions, "stimuli": stimuli}


def _contents(collection: Collection) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The role of each condition, and the hash of each stimulus; sorted here, because databases differ in that."""
    conditions: dict[str, str] = {}
    stimuli: dict[str, dict[str, str]] = {}
    rows = Stimulus.objects.offered().filter(item__collection=collection)
    names = ("item__name", "condition__name", "condition__role", "recording__sha256", "text")
    for item, condition, role, sha256, text in sorted(rows.values_list(*names), key=lambda row: row[:2]):
        conditions[condition] = role
        stimuli.setdefault(item, {})[condition] = sha256 or digest(text)
    return dict(sorted(conditions.items())), stimuli


def _design(experiment: Experiment, design: Design) -> dict[str, Any]:
    if design.preset == IMPORTED:
        files = dict(designs.design_files(experiment, [CSV]))
        return {"preset": IMPORTED, "sha256": design.sha256, "files": files}
    known = {**design.settings, "preset": design.preset, "seed": design.seed, "sha256": design.sha256}
    if known["conditions"] == [WHOLE_ITEM]:  # a page holds an item under all of them, so none were chosen
        known["conditions"] = []
    if added := written_extensions(experiment):
        known["extensions"] = added
    return {name: known[name] for name in DESIGN.keys if name in known and name != "files"}


def _panels(experiment: Experiment) -> list[dict[str, Any]]:
    """The panels whose seats were drawn one by one; a seat that was given on counts once."""
    seats = Seat.objects.filter(panel__experiment=experiment, ballot__kind=Ballot.Kind.MAIN, occupancy=1)
    rows = seats.order_by("panel__number").values_list("panel__number", "panel__group")
    counts: dict[tuple[int, str], int] = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    return [{"seats": count, **({"group": group} if group else {})} for (_number, group), count in counts.items()]


def _sorted(value: Any) -> Any:
    """Objects with their keys sorted: a database may return them in an order of its own."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(part) for part in value] if isinstance(value, list) else value


# --- Reading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExperimentFile:
    """The values of a file that is well-formed."""

    values: Mapping[str, Any]

    @property
    def is_template(self) -> bool:
        """Whether the collection is still to be chosen."""
        return "collection" not in self.values

    @property
    def seats(self) -> int:
        """How many seats it asks for."""
        design, listed = self.values.get("design"), self.values.get("panels", [])
        if not design:
            return sum(panel["seats"] for panel in listed)
        if design["preset"] == IMPORTED:
            return len(design.get("files", {}))
        wanted, added = DesignRequest.from_json(design), design.get("extensions", [])
        panels = wanted.panels + sum(int(one.get("panels", 0)) for one in added)
        return panels * (wanted.seats + sum(int(one.get("listeners", 0)) for one in added))


def read_experiment_file(content: bytes) -> ExperimentFile:
    """Read a file and reject whatever no experiment has, every problem at once."""
    values = load_yaml(content)
    problems = list(file_problems(values)) or list(_cross_problems(values))
    if problems:
        raise ExperimentFileRejected(problems)
    return ExperimentFile(values)


def _cross_problems(values: Mapping[str, Any]) -> Iterator[LazyMessage]:
    session = values.get("session", {})
    for name in filter(session.get, RETURN_URLS):
        try:
            check_return_url(session[name])
        except AppError as error:
            yield LazyMessage("`{path}`: {problem}", path=f"session.{name}", problem=str(error))
    groups = get_protocol(values["protocol"]).groups.names
    for number, panel in enumerate(values.get("panels", []), start=1):
        if (group := panel.get("group", "")) and group not in groups:
            yield LazyMessage(
                "`{path}` is no group of this protocol. Known: {known}.",
                path=f"panels[{number}].group",
                known=", ".join(groups) or "-",
            )
    design = values.get("design", {})
    if design and (design["preset"] == IMPORTED) != bool(design.get("files")):
        yield LazyMessage("`design.files` belongs to the preset {preset} and to no other.", preset=IMPORTED)
    if design.get("preset") == IMPORTED and design.get("extensions"):
        yield LazyMessage("`design.extensions`: a design from files has one file for each seat, and no extensions.")
    yield from part_problems(values)
    if (seats := ExperimentFile(values).seats) > MOST_SEATS:
        yield LazyMessage("The file asks for {seats} seats; at most {most} can be made.", seats=seats, most=MOST_SEATS)


def create_from_file(
    *, content: bytes, owner: User, collection: Collection | None = None, in_background: bool
) -> Experiment:
    """Create a draft with everything that a file says. Without a collection, the one that the file names is found.

    Seats are made by jobs, or at once, in the same transaction.
    """
    file = read_experiment_file(content)
    found = _collection_for(file, owner, collection)
    with transaction.atomic():
        experiment = _create(file.values, owner, found)
        audit.record(
            actor=owner,
            action="experiment.read_from_file",
            target=f"experiment/{experiment.slug}",
            after={"sha256": digest(content.decode("utf-8-sig")), "seats": file.seats},
        )
        _make_seats(experiment, file.values, owner, in_background=in_background)
    return Experiment.objects.select_related("collection", "owner").get(pk=experiment.pk)


def _create(values: Mapping[str, Any], owner: User, collection: Collection) -> Experiment:
    protocol = get_protocol(values["protocol"])
    language, texts = values.get("language", settings.LANGUAGE_CODE), values.get("texts", {})
    slug = values.get("short_name", "")
    if slug and Experiment.objects.filter(slug=slug).exists():
        slug = free_slug(slug)
    let_read(collection, owner)
    own = {one["name"] for one in values.get("label_sets", [])}
    label_set = values.get("label_set", "")
    experiment = create_experiment(
        owner=owner,
        title=values["title"],
        slug=slug,
        collection=collection,
        protocol_slug=protocol.slug,
        label_set=usual_label_set(protocol, language) if label_set in own or not label_set else label_set,
        language=language,
        options=values.get("options", {}),
        contact=values.get("contact", ""),
        questions=values.get("questions", []),
        seed=values.get("seed", ""),
        consent_text=texts.get("consent") or standard_consent(language),
        instructions=texts.get("instructions", ""),
        debrief=texts.get("debrief", ""),
    )
    change_session_settings(experiment=experiment, actor=owner, **values.get("session", {}))
    return create_parts(experiment, values, owner)


def _make_seats(experiment: Experiment, values: Mapping[str, Any], owner: User, *, in_background: bool) -> None:
    for panel in values.get("panels", []):
        make: Any = panels.ask_for_panel if in_background else panels.create_panel
        make(experiment=experiment, seats=panel["seats"], group=panel.get("group", ""), actor=owner)
    design = values.get("design")
    if not design:
        return
    if design["preset"] == IMPORTED:
        files = [(name, text.encode()) for name, text in design["files"].items()]
        made = designs.import_design(experiment=experiment, files=files, actor=owner)
        check_sha256(made.sha256, design.get("sha256", ""))
    elif not in_background:
        _lay_out(experiment, design, owner)
    elif "extensions" in design:
        arguments = {"experiment_id": str(experiment.pk), "actor_id": str(owner.pk), "design": design}
        enqueue(lay_out_file, key=f"{lay_out_file.name}:{experiment.pk}", requested_by=owner, **arguments)
    else:
        wanted, sha256 = DesignRequest.from_json(design), design.get("sha256", "")
        designs.ask_for_design(experiment=experiment, wanted=wanted, sha256=sha256, actor=owner)


@job(queue="interactive", title=_("Laying out the design"))
def lay_out_file(*, run: JobRun, experiment_id: str, design: Mapping[str, Any], actor_id: str) -> None:
    """Lay out the design of a file and its extensions, one after the other; cut short, it goes on where it was."""
    experiment = Experiment.objects.select_related("collection").get(pk=experiment_id)
    planner = partial(plan_subsets_in_subprocess, longest_s=LONGEST_IN_BACKGROUND_S)
    how = {"fence": run.fenced, "progress": run.progress}
    _lay_out(experiment, design, User.objects.get(pk=actor_id), planner=planner, **how)


def _lay_out(experiment: Experiment, design: Mapping[str, Any], actor: User, **how: Any) -> None:
    """Make what is not there yet of a design and its extensions, each under the hash that the file has for it."""
    planner = {"planner": how.pop("planner")} if "planner" in how else {}
    if not Design.objects.filter(experiment=experiment).exists():
        draft = designs.draft_design(experiment=experiment, wanted=DesignRequest.from_json(design), **planner)
        check_sha256(draft.sha256, design.get("sha256", ""))
        designs.adopt_draft(experiment=experiment, draft=draft, actor=actor, **how)
    for extension in design.get("extensions", [])[experiment.extensions.count() :]:
        now = Experiment.objects.select_related("collection").get(pk=experiment.pk)
        extend_as_written(now, extension, actor, **planner, **how)


# --- Matching the collection ------------------------------------------------------------------------------------------


def _collection_for(file: ExperimentFile, owner: User, chosen: Collection | None) -> Collection:
    """The collection that was chosen, or the one that holds what the file lists."""
    if file.is_template:
        if chosen is None:
            raise AppError(
                "experiment_file.collection_needed", 422, _("The file names no collection. Choose the one to use.")
            )
        return chosen
    listed = file.values["collection"]
    named = Collection.objects.visible_to(owner).filter(slug=listed.get("short_name", "")).first()
    first_choice = chosen or named
    if first_choice and not (differences := list(_differences(listed, first_choice))):
        return first_choice
    alike = None if chosen else _holding(listed, owner)
    if alike is not None:
        return alike
    if first_choice is None:
        raise AppError(
            "experiment_file.collection_missing",
            409,
            _(
                "No collection that you can see holds the sounds in the file ('{name}'). Import them first, or remove "
                "`collection` from the file and choose another one."
            ),
            name=listed.get("title", "") or listed.get("short_name", ""),
        )
    raise AppError(
        "experiment_file.collection_differs",
        409,
        _(
            "The collection '{name}' does not hold what the file lists: {differences}. To use it all the same, remove "
            "`collection` from the file and choose it."
        ),
        name=first_choice.slug,
        differences=some(differences, most=5),
    )


def _holding(listed: Mapping[str, Any], owner: User) -> Collection | None:
    """Another collection of the same content, whatever it is called."""
    sha256 = next((one for item in listed["stimuli"].values() for one in item.values()), "")
    among = Collection.objects.visible_to(owner).filter(items__stimuli__recording__sha256=sha256)
    return next((one for one in among.distinct().order_by("slug") if not any(_differences(listed, one))), None)


def _differences(listed: Mapping[str, Any], collection: Collection) -> Iterator[str]:
    """Where the content of a collection is not what a file lists."""
    conditions, stimuli = _contents(collection)
    for name, role in conditions.items():
        if listed["conditions"].get(name, role) != role:
            yield f"{name} ({role})"
    theirs = {(item, name): sha for item, cells in listed["stimuli"].items() for name, sha in cells.items()}
    ours = {(item, name): sha for item, cells in stimuli.items() for name, sha in cells.items()}
    for cell in sorted(theirs.keys() | ours.keys()):
        if theirs.get(cell) != ours.get(cell):
            yield " x ".join(cell)
