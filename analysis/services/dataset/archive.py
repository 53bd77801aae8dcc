"""Dataset archive: everything that was answered and computed, with a README and checksums, as one zip."""

import csv
import hashlib
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_noop as _

from analysis import datasets
from analysis.exports import csv_lines, table_columns, table_rows, with_rows
from analysis.registry import get_report, method_of
from analysis.services.dataset import texts
from analysis.services.dataset.anonymity import USUAL_K, Suppression, TooFewListeners, suppress
from analysis.services.dataset.columns import kept, sidecar
from analysis.services.dataset.result_columns import described
from analysis.services.dataset.tables import JOINED, DatasetTables
from analysis.services.dataset.texts import Contents, as_json
from analysis.services.exports import note_download, vote_columns, vote_lines
from analysis.services.questionnaires import codebook, personal_answers, questionnaire_lines
from analysis.services.results import read_result
from core.errors import AppError
from core.models import User
from listening.models import Design, Extension
from listening.panels.services.experiment_files import experiment_yaml
from listening.participation.services.eligibility import turned_away_count
from rating.label_sets import labels_of
from rating.models import Experiment
from rating.questions import Place
from rating.registry import get_protocol
from rating.services.experiments import design_contents
from rating.services.label_sets import scales_of

PIECE_BYTES = 64 * 1024
CHECKSUMS = "checksums.sha256"
EPOCH = (1980, 1, 1, 0, 0, 0)  # a zip of the same data is the same zip
DEVICE = "device_class"
NOT_IN_ANONYMOUS = ("visits",)
STARTER, EXPECTED = "analysis/starter.py", "analysis/expected.csv"

File = tuple[str, Iterable[str | bytes]]


def export_dataset(
    *, experiment: Experiment, actor: User | None, simulated: bool, anonymous: bool = False, k: int = USUAL_K
) -> Iterator[bytes]:
    """Return the dataset as pieces of a zip. Nothing in it names a condition before the experiment is unblinded.

    In the anonymous edition no combination of answers about a person is shared by fewer than k listeners.
    """
    tables = DatasetTables(experiment, simulated=simulated)
    suppression = anonymised(tables, k=k) if anonymous else None
    what = f"anonymous dataset (k {k})" if anonymous else "dataset"
    root = note_download(experiment=experiment, actor=actor, simulated=simulated, what=what)
    return _Archive(tables, suppression, root).pieces()


def anonymised(tables: DatasetTables, *, k: int) -> Suppression:
    """The answers about a person and the device as they may be published, or an error where they may not."""
    if k < 2:
        raise AppError(
            "dataset.k_too_small", 422, _("Choose a k from 2 on: it says how many listeners share the same answers.")
        )
    counted = {one.ballot for one in datasets.counted_ballots(tables.experiment, simulated=tables.simulated)}
    people: dict[UUID, dict[str, str]] = {
        ballot: {DEVICE: JOINED.join(own[DEVICE])} for ballot, own in tables.devices().items() if ballot in counted
    }
    keys, answers = personal_answers(tables.experiment, simulated=tables.simulated)
    for ballot, own in answers.items():
        people.setdefault(ballot, {}).update(own)
    try:
        return suppress(people, columns=[*keys, DEVICE], k=k)
    except TooFewListeners:
        raise AppError(
            "dataset.too_few_listeners",
            409,
            _(
                "{listeners} listeners have taken part. So that nobody can be told apart, an anonymous dataset needs "
                "at least {k}; wait for more listeners, or choose a smaller k."
            ),
            listeners=len(people),
            k=k,
        ) from None


class _Archive:
    """The zip of one experiment while it is written; what comes late tells of what came before."""

    def __init__(self, tables: DatasetTables, suppression: Suppression | None, root: str) -> None:
        self.tables, self.suppression, self.root = tables, suppression, root
        self.experiment, self.simulated = tables.experiment, tables.simulated
        self.contents = Contents()
        slug = method_of(self.experiment.protocol)
        result = read_result(experiment=self.experiment, slug=slug, simulated=self.simulated, long=True)
        self.result = result | {"table": get_report(slug).anonymous(result["table"])} if self.anonymous else result

    @property
    def anonymous(self) -> bool:
        return self.suppression is not None

    def pieces(self) -> Iterator[bytes]:
        """Yield the zip, and in it at last the list of digests."""
        buffer, digests = _ZipBuffer(), []
        with (
            TemporaryDirectory(prefix="earmark-dataset-") as folder,
            zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,  # type: ignore[call-overload]
        ):
            for name, content in self._files(Path(folder)):
                digest = hashlib.sha256()
                with archive.open(_entry(f"{self.experiment.slug}/{name}"), "w", force_zip64=True) as entry:
                    for piece in content:
                        data = piece.encode() if isinstance(piece, str) else piece
                        digest.update(data)
                        entry.write(data)
                        if len(buffer.pending) >= PIECE_BYTES:
                            yield buffer.fetch()
                digests.append(f"{digest.hexdigest()}  {name}\n")
            archive.writestr(_entry(f"{self.experiment.slug}/{CHECKSUMS}"), "".join(digests))
        yield buffer.fetch()

    def _files(self, folder: Path) -> Iterator[File]:
        experiment, suppression = self.experiment, self.suppression
        yield from self._data(folder)
        yield "design.json", [as_json(_design(experiment, anonymous=self.anonymous))]
        if experiment.unblinded_at is not None and not self.anonymous:
            yield "experiment.yaml", [experiment_yaml(experiment)]
        yield from self._results(folder)
        yield "documentation/codebook.csv", self._codebook()
        marks = self.contents.rows.get("responses", 0)
        yield "CITATION.cff", [texts.citation(experiment, marks=marks, anonymous=self.anonymous)]
        about = texts.description(
            experiment, self.contents, simulated=self.simulated, root=self.root, suppression=suppression
        )
        yield "dataset_description.json", [as_json(about)]
        yield (
            "README.md",
            [texts.readme(experiment, self.contents, results=[self.result], root=self.root, suppression=suppression)],
        )

    # --- Tables -------------------------------------------------------------------------------------------------------

    def _data(self, folder: Path) -> Iterator[File]:
        """Each table with its sidecar; Psych-DS wants to know what the columns are."""
        for name, columns, lines, about in self._tables():
            if (content := with_rows(lines)) is None:
                self.contents.left_out.append(name)
                continue
            self.contents.columns[name], self.contents.rows[name] = columns, 0
            path = _data_name(self.experiment, name)
            counted = self._counted(name, content)
            yield f"{path}.csv", _copied(counted, folder / f"{path}.csv")
            yield f"{path}.json", [as_json(sidecar(columns, **about))]

    def _tables(self) -> Iterator[tuple[str, Mapping[str, Any], Iterator[str], dict[str, Any]]]:
        columns = kept("responses", vote_columns(self.tables), anonymous=self.anonymous)
        yield "responses", columns, vote_lines(self.tables, columns=columns), {}
        for table in self.tables.all():
            if self.anonymous and table.name in NOT_IN_ANONYMOUS:
                continue
            columns = kept(table.name, table.columns, anonymous=self.anonymous)
            rows = map(self._coarsened, table.rows) if table.name == "participants" else table.rows
            yield table.name, columns, csv_lines(rows, columns=list(columns)), {}
        if self.experiment.questions:
            about = codebook(self.experiment, anonymous=self.anonymous)
            columns = kept("questionnaire", about.pop("columns"), anonymous=self.anonymous)
            cells = self.suppression.cells if self.suppression else {}
            lines = questionnaire_lines(
                self.experiment, simulated=self.simulated, anonymous=self.anonymous, cells=cells, columns=list(columns)
            )
            yield "questionnaire", columns, lines, about

    def _coarsened(self, row: dict[str, Any]) -> dict[str, Any]:
        cells = self.suppression.cells.get(row["ballot_id"], {}) if self.suppression else {}
        return row | {name: cells[name] for name in (DEVICE,) if name in cells}

    def _counted(self, name: str, lines: Iterable[str | bytes]) -> Iterator[str | bytes]:
        for number, line in enumerate(lines):
            self.contents.rows[name] = number
            yield line

    def _codebook(self) -> Iterator[str]:
        rows = (
            {"table": table, "column": column["name"], "meaning": column["description"]}
            for table, columns in self.contents.columns.items()
            for column in sidecar(columns)["variableMeasured"]
        )
        return csv_lines(rows, columns=("table", "column", "meaning"))

    # --- Results ------------------------------------------------------------------------------------------------------

    def _results(self, folder: Path) -> Iterator[File]:
        """Every table of the method, what its report adds, sidecars, and what the starter says of them."""
        written = set()
        for name, content in self._made():
            is_table = name.endswith(".csv")
            held = with_rows(content) if is_table else iter(content)
            if held is not None:
                written.add(name)
                yield name, _copied(held, folder / name) if is_table else held
        for table in sorted(name for name in written if re.fullmatch(r"results/.*\.csv", name)):
            beside = table.removesuffix(".csv") + ".json"
            if beside not in written:
                with (folder / table).open(encoding="utf-8", newline="") as file:
                    columns = next(csv.reader(file))
                yield beside, [as_json(sidecar(described(columns)))]
        if {STARTER, EXPECTED} <= written and "responses" in self.contents.rows and not self.result["stale"]:
            yield "analysis/starter_output.txt", [_starter_output(folder)]

    def _made(self) -> Iterator[File]:
        slug, result = self.result["method"], self.result
        tables, reader, computed = result["table"], get_report(slug), result["computed_at"] is not None
        if computed:
            yield f"results/{slug}.csv", csv_lines(table_rows(tables), columns=table_columns(tables))
        for name, file in reader.files.items():
            # What is made of the votes themselves may hold times and comments.
            if not self.anonymous if file.of_votes else computed:
                yield f"results/{name}", file.make(self.experiment, result, {})
        yield from reader.dataset(self.experiment, result, simulated=self.simulated)


def _starter_output(folder: Path) -> str:
    """What the script says that goes along with the data, run on the same files."""
    from analysis.example_scripts import starter

    said, _agrees = starter.compare(folder)
    return said


def _copied(pieces: Iterable[str | bytes], place: Path) -> Iterator[str | bytes]:
    """The same pieces, and a copy in a file."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as file:
        for piece in pieces:
            file.write(piece.encode() if isinstance(piece, str) else piece)
            yield piece


def _data_name(experiment: Experiment, what: str) -> str:
    study = re.sub(r"[^A-Za-z0-9]", "", experiment.slug)
    return f"data/study-{study}_description-{what}_data"


def _design(experiment: Experiment, *, anonymous: bool) -> dict[str, Any]:
    """What was planned. Seeds and settings would give the letters or the names of conditions away."""
    protocol, labels = get_protocol(experiment.protocol), labels_of(experiment)
    design = Design.objects.filter(experiment=experiment).first()
    moment = "%Y-%m-%d" if anonymous else "%Y-%m-%dT%H:%M:%S.%fZ"
    told: dict[str, Any] = {
        "unblinded_at": experiment.unblinded_at and experiment.unblinded_at.strftime(moment),
        "protocol": protocol.slug,
        "protocol_version": protocol.version,
        "label_set": experiment.label_set,
        "label_set_sha256": labels.sha256,
        "label_texts": {"language": labels.language, "status": labels.status, "scales": scales_of(labels)},
        "language": experiment.language,
        "design_sha256": experiment.design_sha256,
        "layout_sha256": experiment.layout_sha256,
        "panels": {str(panel.number): panel.seats.count() for panel in experiment.panels.all()},
        "preset": design.preset if design else None,
        "subsets": design.subsets if design else None,
        "first_layout_sha256": design.sha256 if design else "",
        "attention_checks": _attention(experiment),
        "extensions": [_extension(each, anonymous=anonymous) for each in experiment.extensions.all()],
    }
    if asked := [question for question in experiment.questions if question["place"] == Place.SCREENING]:
        told["screening"] = {"questions": asked, "turned_away": turned_away_count(experiment.pk)}
    if experiment.unblinded_at is None:
        return told
    open_only = {"seed": experiment.seed, "options": experiment.options, "state": str(experiment.state)}
    if experiment.design_sha256:
        open_only["contents"] = design_contents(experiment)  # what design_sha256 is the hash of
    laid_out = {"design_seed": design.seed, "settings": design.settings, "report": design.report} if design else {}
    return told | open_only | laid_out


def _attention(experiment: Experiment) -> dict[str, Any]:
    """How many checks each listener has; which clips they are, and what is expected, once conditions are named."""
    used = experiment.checks.get("clips", [])
    counts = {"clips": len(used), "repeats": experiment.checks.get("repeats", 0)}
    return counts | ({} if experiment.unblinded_at is None else {"expected": used})


def _extension(extension: Extension, *, anonymous: bool) -> dict[str, Any]:
    names = ("number", "panels_before", "panels", "listeners_before", "listeners", "subsets", "sha256")
    told = {name: getattr(extension, name) for name in names}
    why = {"date": f"{extension.created_at:%Y-%m-%dT%H:%M:%SZ}", "reason": extension.reason}
    return told if anonymous else why | told


class _ZipBuffer:
    """The file that a zip is written to: it keeps the bytes until they are fetched, so no download is held whole."""

    def __init__(self) -> None:
        self.pending = bytearray()

    def write(self, data: bytes) -> int:
        self.pending += data
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def fetch(self) -> bytes:
        data, self.pending = bytes(self.pending), bytearray()
        return data


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
