"""Designs as files: every seat's sequence written in the published shape, and read from it."""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

from django.db import transaction

from core.clauses import clause
from core.models import User
from core.services import audit
from listening.design.base import ANCHORING, IMPORTED, LayoutRequest, SeatSequence, Showing
from listening.design.base import Design as Layout
from listening.design.errors import DesignFileUnreadable, NoDesignFiles
from listening.design.report.summary import design_digest
from listening.design.udase_csv import WRITERS, SeatFile, Vocabulary, file_name, natural, read_seat_file
from listening.models import Design
from listening.services.design_seats import adopt_design, sequences_of
from listening.services.designs import design_row, report_of, settings_of
from listening.services.material import lengths_of, scale_orders_of, written_orders
from listening.services.session_settings import session_settings_of
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.ballots import entries_of
from rating.services.experiments import condition_names


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
        report=report_of(layout, clip_s=lengths_of(experiment), rest_s=session_settings_of(experiment).rest_s),
        sha256=design_digest(layout),
        actor=actor,
        **how,
    )


def layout_from_files(experiment: Experiment, files: Sequence[tuple[str, bytes]]) -> Layout:
    if not files:
        raise NoDesignFiles
    protocol = get_protocol(experiment.protocol)
    known = frozenset((entry.item, entry.condition) for entry in entries_of(experiment))
    vocabulary = Vocabulary(stimuli=known, orders=written_orders(protocol))
    read = [
        read_seat_file(content, name=name, vocabulary=vocabulary)
        for name, content in sorted(files, key=lambda file: natural(file[0]))
    ]
    for file in read:
        if all(showing.session == ANCHORING for showing in file.showings):
            raise DesignFileUnreadable(name=file.name, problem=clause("all of it is session 0, which is practice"))
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
    showings = tuple(replace(showing, condition=names[showing.condition]) for showing in sequence.showings)
    return replace(sequence, showings=showings)


def _seated(files: Sequence[SeatFile]) -> Iterator[SeatSequence]:
    """Panels are the subsets in their order, counted from 1; seats are the files of a subset, in the order of names."""
    for panel, subset in enumerate(sorted({file.subset for file in files}), start=1):
        for seat, file in enumerate((file for file in files if file.subset == subset), start=1):
            yield SeatSequence(panel, seat, file.showings)


def _counting(sequence: SeatSequence) -> list[Showing]:
    return [showing for showing in sequence.showings if showing.session != ANCHORING]
