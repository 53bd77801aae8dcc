"""Designs: drafted without writing anything, adopted as an experiment's seats, verified, and kept as files."""

import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import IO, Any

from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.i18n import LazyMessage, pack_messages
from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from core.services import audit
from listening.design.base import ANCHORING, IMPORTED, DesignRequest, LayoutRequest, Sample, SeatSequence, Showing
from listening.design.base import Design as Layout
from listening.design.orders.presets import preset
from listening.design.report.summary import (
    Finding,
    Verdict,
    design_digest,
    design_report,
    extension_digest,
    one_sentence,
    verify,
)
from listening.design.report.values import shares
from listening.design.subsets.in_subprocess import LONGEST_IN_BACKGROUND_S, plan_subsets_in_subprocess
from listening.design.subsets.planning import SubsetPlan, plan_subsets
from listening.design.udase_csv import (
    WRITERS,
    SeatFile,
    Vocabulary,
    design_file_unreadable,
    file_name,
    natural,
    read_seat_file,
)
from listening.models import Design
from listening.panels.services.design_seats import adopt_design, check_untouched, sequences_of
from listening.panels.services.durations import checks_s_of
from listening.panels.services.material import (
    Material,
    designable,
    material_of,
    scale_orders_of,
    showings_s,
    written_orders,
)
from listening.panels.services.session_settings import session_settings_of
from rating.models import Experiment
from rating.protocol import Cell, draw_practice, pages_of
from rating.registry import get_protocol
from rating.services.ballots import entries_of
from rating.services.experiments import condition_names

Planner = Callable[..., SubsetPlan]


@dataclass(frozen=True)
class Draft:
    """A design that is not stored yet: the request, the layout, and the report on it."""

    wanted: DesignRequest
    layout: Layout
    plan: SubsetPlan
    report: dict[str, Any]
    sha256: str

    @property
    def settings(self) -> dict[str, Any]:
        return self.wanted.to_json() | settings_of(self.layout.request)


def draft_design(*, experiment: Experiment, wanted: DesignRequest, planner: Planner = plan_subsets) -> Draft:
    """Lay out a design and judge it. Nothing is written; the same request gives the same design every time."""
    material = material_of(experiment, wanted.conditions)
    chosen = preset(wanted.preset)
    plan = planner(
        [Sample(sample.name, sample.factors) for sample in material.samples],
        factors=wanted.factors,
        subsets=wanted.panels,
        size=wanted.size,
        seed=wanted.seed,
    )
    practice = get_protocol(experiment.protocol).practice_wanted(experiment.options)
    layout = chosen.lay_out(layout_request(material, wanted, plan.subsets, practice))
    report = judge(layout, experiment=experiment, material=material, factors=wanted.factors)
    return Draft(wanted, layout, plan, report | {"plan": plan_facts(plan)}, design_digest(layout))


def judge(layout: Layout, *, experiment: Experiment, material: Material, factors: Sequence[str]) -> dict[str, Any]:
    """The report on a layout, with how the levels of the factors are shared out among the panels."""
    shared = shares(material.samples, factors=factors, subsets=layout.request.subsets)
    levels = {sample.name: {name: sample.factors[name] for name in factors} for sample in material.samples}
    report = report_of(layout, experiment=experiment, showing_s=material.showing_s, factors=levels)
    return report | {"shares": [share.to_json() for share in shared]}


def plan_facts(plan: SubsetPlan) -> dict[str, Any]:
    return {"report": plan.report, "optimal": plan.optimal, "gap": plan.gap}


def layout_request(
    material: Material, wanted: DesignRequest, subsets: Sequence[Sequence[str]], practice: int
) -> LayoutRequest:
    return LayoutRequest(
        subsets=subsets,
        conditions=material.conditions,
        seats=wanted.seats,
        sessions=wanted.sessions,
        references=_practice_cells(material, wanted, subsets, practice),
        scale_orders=material.scale_orders,
        seed=wanted.seed,
    )


def _practice_cells(
    material: Material, wanted: DesignRequest, subsets: Sequence[Sequence[str]], practice: int
) -> Sequence[Cell]:
    """Every reference; where there is none, a few clips, of items that no panel rates if there are any."""
    if material.references and practice:
        return material.references
    rated = {item for subset in subsets for item in subset}
    items = [sample.name for sample in material.samples if sample.name not in rated] or sorted(rated)
    cells = [(item, condition) for item in items for condition in material.conditions]
    return draw_practice(cells, count=practice, rng=Random(f"{wanted.seed}/practice"))


def report_of(
    layout: Layout,
    *,
    experiment: Experiment,
    showing_s: Mapping[Cell, float],
    factors: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, Any]:
    """The report on a design as the row stores it; for one that breaks hard rules, the rules it breaks."""
    findings = [finding for finding in verify(layout) if finding.verdict == Verdict.BAD]
    if not findings:
        known = session_settings_of(experiment)
        findings = design_report(
            layout,
            showing_s=showing_s,
            factors=factors,
            components={scale.key: scale.components for scale in get_protocol(experiment.protocol).scales},
            rest_s=known.rest_s,
            checks_s=checks_s_of(known),
        )
    return {
        "findings": [finding.to_json() for finding in findings],
        **pack_messages({"sentence": one_sentence(layout, findings)}),
    }


def settings_of(request: LayoutRequest) -> dict[str, Any]:
    """A layout request without its subsets, as the row stores it."""
    return {
        "seats": request.seats,
        "sessions": request.sessions,
        "conditions": list(request.conditions),
        "references": [list(cell) for cell in request.references],
        "scale_orders": [list(order) for order in request.scale_orders],
    }


# --- Using a draft ----------------------------------------------------------------------------------------------------


def ask_for_design(*, experiment: Experiment, wanted: DesignRequest, sha256: str, actor: User) -> Job:
    """Have the design that was tried laid out in the background; what is rejected now is not begun.

    Without a hash, any design that follows from the request is taken.
    """
    arguments = {"experiment_id": str(experiment.pk), "wanted": wanted.to_json(), "sha256": sha256}
    key = f"{apply_design.name}:{experiment.pk}:{sha256}"
    with transaction.atomic():
        # Going live takes the same lock: it comes first and this is rejected, or it finds the job and is rejected.
        check_untouched(Experiment.objects.select_for_update().get(pk=experiment.pk))
        return enqueue(apply_design, key=key, requested_by=actor, actor_id=str(actor.pk), **arguments)


@job(queue="interactive", title=_("Laying out the design"))
def apply_design(*, run: JobRun, experiment_id: str, wanted: Mapping[str, Any], sha256: str, actor_id: str) -> None:
    """Lay out the design that was previewed. An error fails the job: a job whose work was discarded is not done."""
    experiment = Experiment.objects.select_related("collection").get(pk=experiment_id)
    if sha256 and Design.objects.filter(experiment=experiment, sha256=sha256).exists():
        return
    planner = partial(plan_subsets_in_subprocess, longest_s=LONGEST_IN_BACKGROUND_S)
    draft = draft_design(experiment=experiment, wanted=DesignRequest.from_json(wanted), planner=planner)
    if sha256 and draft.sha256 != sha256:
        raise AppError(
            "design.outdated",
            409,
            _("The collection has changed since this preview. Preview the design again, then apply it."),
        )
    adopt_draft(
        experiment=experiment,
        draft=draft,
        actor=User.objects.get(pk=actor_id),
        fence=run.finish,
        progress=run.progress,
    )


def adopt_draft(*, experiment: Experiment, draft: Draft, actor: User, **how: Any) -> Design:
    return adopt_design(
        experiment=experiment,
        layout=draft.layout,
        settings=draft.settings,
        report=draft.report,
        sha256=draft.sha256,
        actor=actor,
        **how,
    )


def job_for(experiment: Experiment) -> Job | None:
    """The latest job that lays out this experiment."""
    name = apply_design.name
    return Job.objects.filter(name=name, key__startswith=f"{name}:{experiment.pk}:").order_by("-created_at").first()


# --- Reading back -----------------------------------------------------------------------------------------------------


def design_row(experiment: Experiment) -> Design:
    row = Design.objects.filter(experiment=experiment).first()
    if row is None:
        raise AppError(
            "design.missing",
            409,
            _("'{slug}' has no design. Make one on its page Design, or with generate_design or import_design."),
            slug=experiment.slug,
        )
    return row


def layout_of(experiment: Experiment) -> Layout:
    """The design as its ballots hold it now, extensions included."""
    row, added = design_row(experiment), list(experiment.extensions.all())
    sizes = [
        (len(row.subsets), row.settings["seats"]),
        *((extension.panels, extension.listeners // extension.panels) for extension in added),
    ]
    request = LayoutRequest(
        subsets=[*row.subsets, *(subset for extension in added for subset in extension.subsets)],
        conditions=row.settings["conditions"],
        seats=sizes[-1][1],
        sessions=row.settings["sessions"],
        references=[(item, condition) for item, condition in row.settings["references"]],
        scale_orders=[tuple(order) for order in row.settings["scale_orders"]],
        seed=row.seed,
        grown=sizes[:-1],
    )
    return Layout(row.preset, request, tuple(sequences_of(experiment)))


def current_report(design: Design) -> dict[str, Any]:
    """The report on all seats that there are now."""
    newest = design.experiment.extensions.last()
    report: dict[str, Any] = newest.report if newest else design.report
    return report


@dataclass(frozen=True)
class Verification:
    """Whether a design holds what it promises, and whether it is still the one that was laid out."""

    findings: Sequence[Finding]
    sha256: str
    laid_out_sha256: str
    is_unchanged: bool

    @property
    def holds(self) -> bool:
        return self.is_unchanged and all(finding.verdict != Verdict.BAD for finding in self.findings)


def verify_design(experiment: Experiment) -> Verification:
    """Check the stored seats against the hard rules and against the hashes of the design and of each extension."""
    row, layout = design_row(experiment), layout_of(experiment)
    found = stage_digests(layout)
    stored = [row.sha256, *experiment.extensions.values_list("sha256", flat=True)]
    return Verification(
        findings=verify(layout),
        sha256=found[-1],
        laid_out_sha256=stored[-1],
        is_unchanged=found == stored and stored[-1] == experiment.layout_sha256,
    )


def stage_digests(layout: Layout) -> list[str]:
    """The digest of the first layout, and after each extension one that covers the digest before."""
    left, digests = list(layout.sequences), list[str]()
    for panels, seats in layout.request.grown:
        here = [one for one in left if one.panel <= panels and one.seat <= seats]
        left = [one for one in left if one not in here]
        digests.append(_stage_digest(layout, here, digests))
    return [*digests, _stage_digest(layout, left, digests)]


def _stage_digest(layout: Layout, sequences: Sequence[SeatSequence], before: Sequence[str]) -> str:
    if before:
        return extension_digest(before[-1], sequences)
    return design_digest(replace(layout, sequences=tuple(sequences)))


# --- Files in the published form, one for each seat -------------------------------------------------------------------


def design_files(
    experiment: Experiment, formats: Sequence[str], *, names: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """Name and content of one file a seat and format; seats are counted through all panels, as subjects are.

    `names` are what conditions shall be called, where it is not by their own names.
    """
    design_row(experiment)
    scales = written_orders(get_protocol(experiment.protocol))[0]
    for number, sequence in enumerate(sequences_of(experiment), start=1):
        shown = _renamed(sequence, names) if names else sequence
        for suffix in formats:
            yield file_name(number, suffix), WRITERS[suffix](shown, scales)


def export_design(*, experiment: Experiment, suffix: str, into: IO[bytes], actor: User) -> None:
    """Write every seat's file into a zip, with letters for conditions until the experiment is unblinded, and log it."""
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in design_files(experiment, [suffix], names=condition_names(experiment)):
            # A fixed time makes the same design the same bytes.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)
    with transaction.atomic():
        audit.record(
            actor=actor,
            action="experiment.exported",
            target=f"experiment/{experiment.slug}",
            after={"what": f"design {suffix}", "blind": experiment.unblinded_at is None},
        )


def import_design(*, experiment: Experiment, files: Sequence[tuple[str, bytes]], actor: User, **how: Any) -> Design:
    """Give each file a seat, in panels by their subset. What the sequences do to the balance stands in the report."""
    layout = layout_from_files(experiment, files)
    names = [name for name, _ in files]
    settings = settings_of(layout.request) | {"preset": IMPORTED, "panels": layout.request.panels, "files": names}
    return adopt_design(
        experiment=experiment,
        layout=layout,
        settings=settings,
        report=report_of(layout, experiment=experiment, showing_s=showings_s(experiment)),
        sha256=design_digest(layout),
        actor=actor,
        **how,
    )


def layout_from_files(experiment: Experiment, files: Sequence[tuple[str, bytes]]) -> Layout:
    if not files:
        raise AppError("design.no_files", 422, _("No file was given. Give one CSV or JSON file for each listener."))
    protocol = get_protocol(experiment.protocol)
    known = frozenset(pages_of(entries_of(experiment), designable(protocol).page_holds))
    vocabulary = Vocabulary(stimuli=known, orders=written_orders(protocol))
    read = [
        read_seat_file(content, name=name, vocabulary=vocabulary)
        for name, content in sorted(files, key=lambda file: natural(file[0]))
    ]
    for file in read:
        if all(showing.session == ANCHORING for showing in file.showings):
            raise design_file_unreadable(
                name=file.name, problem=LazyMessage("all of it is session 0, which is practice")
            )
    sequences = tuple(_seated(read))
    showings = [_counting(sequence) for sequence in sequences]
    panels = sorted({sequence.panel for sequence in sequences})
    request = LayoutRequest(
        subsets=[
            sorted(
                {
                    s.item
                    for sequence, heard in zip(sequences, showings, strict=True)
                    for s in heard
                    if sequence.panel == panel
                }
            )
            for panel in panels
        ],
        conditions=sorted({showing.condition for heard in showings for showing in heard}),
        seats=max(sequence.seat for sequence in sequences),
        sessions=max((showing.session for heard in showings for showing in heard), default=0),
        references=sorted({(s.item, s.condition) for one in sequences for s in one.showings if s.session == ANCHORING}),
        scale_orders=scale_orders_of(protocol),
        seed="",
    )
    return Layout(IMPORTED, request, sequences)


def _renamed(sequence: SeatSequence, names: Mapping[str, str]) -> SeatSequence:
    showings = tuple(
        replace(showing, condition=names.get(showing.condition, showing.condition)) for showing in sequence.showings
    )
    return replace(sequence, showings=showings)


def _seated(files: Sequence[SeatFile]) -> Iterator[SeatSequence]:
    """Panels are the subsets in their order, counted from 1; seats are the files of a subset, in the order of names."""
    for panel, subset in enumerate(sorted({file.subset for file in files}), start=1):
        for seat, file in enumerate((file for file in files if file.subset == subset), start=1):
            yield SeatSequence(panel, seat, file.showings)


def _counting(sequence: SeatSequence) -> list[Showing]:
    return [showing for showing in sequence.showings if showing.session != ANCHORING]
