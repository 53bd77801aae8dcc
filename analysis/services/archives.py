"""Dataset archive: everything that was answered and computed, with a README and checksums, as one zip."""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from analysis import datasets
from analysis.datasets import CountedBallot
from analysis.exports import csv_lines, meanings_for, subject_id, table_columns, table_rows
from analysis.registry import get_report, method_of
from analysis.services.exports import note_download, vote_lines
from analysis.services.questionnaires import codebook, questionnaire_lines
from analysis.services.results import read_result
from core.hashing import digest
from core.models import User
from listening.models import Design, Extension
from listening.panels.services.exclusions import EXCLUSION_COLUMNS, excluded_now, ledger_of, name_of_listener
from listening.participation.services.eligibility import turned_away_count
from rating.label_sets import labels_of
from rating.models import Consent, Experiment
from rating.questions import Place
from rating.registry import get_protocol
from rating.services.attention import outcomes
from rating.services.experiments import condition_names
from rating.services.label_sets import scales_of
from rating.services.texts import TEXTS, amendments, consent_counts, published_texts

PARTICIPANTS = (
    *("subject_id", "subject_column", "panel", "seat", "row_type"),
    *("votes", "pages", "of_pages", "complete", "text_version", *EXCLUSION_COLUMNS),
    *("checks_passed", "checks_failed", "repeat_pairs", "repeat_difference", "repeat_r"),
)
EXCLUSIONS = (
    *("kind", "subject_id", "panel", "seat", "position", "reason", "rule", "scale", "figure", "threshold"),
    *("made_at", "made_by", "after_unblinding", "lifted_at", "lifted_by", "lifted_reason", "lifted_after_unblinding"),
)
TEXT_VERSIONS = ("text_version", "published_at", "reason", "changed", "consents", "design_sha256", "consent_sha256")
STIMULI = ("item", "condition", "condition_role", "factors")

PIECE_BYTES = 64 * 1024
CHECKSUMS = "checksums.sha256"
EPOCH = (1980, 1, 1, 0, 0, 0)  # a zip of the same data is the same zip

README = """# {title}

Dataset of the listening test `{slug}` (protocol {protocol}, wording {label_set}), made by Earmark.
{marks} marks. Conditions are {conditions}.

- `data/*responses_data.csv`: one row a mark, practice and attention checks included (`kind`). The `.json` beside it
  explains every column.
- `data/*participants_data.csv`: which column of the wide matrices is which listener, how many pages of the test were
  answered, and whether nothing is left (`complete`). Where listeners are incomplete, the results hold figures with and
  without them: means over listeners are of complete ones and `all_listeners` of everybody, or, with other methods
  than mos, they are of everybody and `complete_listeners` of complete ones. Of attention checks: trap and gold clips
  that were answered as expected (`checks_passed`) or not, and of what was heard twice the number of pairs of ratings,
  their mean absolute difference and Pearson's r. No table of results holds an answer to an attention check.
- `data/*stimuli_data.csv`: items, conditions, factors.
- `data/*texts_data.csv`: every version of the title, consent text, instructions and debrief that listeners could read,
  from when on, why it was amended, and how many agreed to it; `text_version` of a participant says which one it was.
- `data/*exclusions_data.csv`: the ledger of exclusions, lifted ones included: what, why or by which rule, when, by
  whom, and whether conditions were known by name by then. Nothing is missing from the responses: `excluded` and
  `exclusion_reason` say of each mark whether the results leave it out.
- `data/*questionnaire_data.csv`: answers to questions before or after the clips, one row a listener and one column a
  question; several choices are joined by `|`. The `.json` beside it is the codebook.
- `results/`: every table of the results page, to the last digit. `unit` says what the interval is over: model (mixed
  model with listeners and items random), listener, item, two-way (bootstrap over listeners and items), vote or
  vote-1.96 (as the P.808 toolkit has it). What cannot be computed is empty.
- `analysis/`: `starter.py` (pandas, scipy) and `starter.R` print the means by condition, as `expected.csv` has them.
- `legacy/udase/`: one matrix a scale: condition, sample, subject_1 ..., empty where a listener did not rate a clip.
  Of a clip that was rated twice by one listener the last mark stands here. Excluded marks are in it.
- `legacy/p808/`: the shapes of the P.808 toolkit, all votes pooled, intervals 1.96 SE. As there, excluded votes are not
  in them.
- `design.json`: what was planned, with the hashes that fix it, and every extension with its date, reason and hash.
  `layout_sha256` covers the newest one, which covers the one before, down to `first_layout_sha256`.
- `checksums.sha256`: `sha256sum -c checksums.sha256`.

UTF-8, dot decimals, times in UTC, missing values empty. A text that a spreadsheet would run as a formula (it
begins with = + - @, a tab or a line break) has an apostrophe before it; numbers have none.

Root of the server's records when this was downloaded: `{root}`. Whether any of them was altered or removed
since, `manage.py verify_votes --root {root}` says on that server.

{results}
"""
BLIND = "letters: the experiment has not been unblinded"
OPEN = "named: the experiment has been unblinded"

File = tuple[str, Iterable[str | bytes]]


def export_dataset(*, experiment: Experiment, actor: User, simulated: bool, anonymous: bool = False) -> Iterator[bytes]:
    """Return the dataset as pieces of a zip. Nothing in it names a condition before the experiment is unblinded.

    The anonymous edition has no free text that a participant wrote in the questionnaire.
    """
    what = "dataset without free text" if anonymous else "dataset"
    root = note_download(experiment=experiment, actor=actor, simulated=simulated, what=what)
    dataset = datasets.read_dataset(experiment, simulated=simulated)
    slug = method_of(experiment.protocol)
    results = {slug: read_result(experiment=experiment, slug=slug, simulated=simulated, long=True)}
    files = [
        ("README.md", [_readme(experiment, results=list(results.values()), votes=len(dataset.scores), root=root)]),
        ("dataset_description.json", [_json(_description(experiment, simulated=simulated) | {"root": root})]),
        ("design.json", [_json(_design(experiment))]),
        *_data(experiment, dataset.ballots, simulated=simulated),
        *_questionnaire(experiment, simulated=simulated, anonymous=anonymous),
        *_results(experiment, results, simulated=simulated),
    ]
    return _zipped(experiment.slug, files)


def _data_name(experiment: Experiment, what: str) -> str:
    study = re.sub(r"[^A-Za-z0-9]", "", experiment.slug)
    return f"data/study-{study}_description-{what}_data"


def _questionnaire(experiment: Experiment, *, simulated: bool, anonymous: bool) -> list[File]:
    """The answers to the questionnaire and their codebook, where there are questions."""
    if not experiment.questions:
        return []
    name = _data_name(experiment, "questionnaire")
    lines = questionnaire_lines(experiment, simulated=simulated, anonymous=anonymous)
    return [(f"{name}.csv", lines), (f"{name}.json", [_json(codebook(experiment, anonymous=anonymous))])]


def _data(experiment: Experiment, ballots: Sequence[CountedBallot], *, simulated: bool) -> list[File]:
    name = partial(_data_name, experiment)
    # Psych-DS: a sidecar beside the data says what its columns are.
    return [
        (f"{name('responses')}.csv", vote_lines(experiment, simulated=simulated)),
        (f"{name('responses')}.json", [_json({"variableMeasured": meanings_for(get_protocol(experiment.protocol))})]),
        (
            f"{name('participants')}.csv",
            csv_lines(_participants(experiment, ballots, simulated=simulated), columns=PARTICIPANTS),
        ),
        (f"{name('exclusions')}.csv", csv_lines(_exclusions(experiment), columns=EXCLUSIONS)),
        (f"{name('stimuli')}.csv", csv_lines(_stimuli(experiment), columns=STIMULI)),
        (f"{name('texts')}.csv", csv_lines(_text_versions(experiment), columns=(*TEXT_VERSIONS, *TEXTS))),
    ]


def _participants(
    experiment: Experiment, ballots: Sequence[CountedBallot], *, simulated: bool
) -> Iterator[dict[str, Any]]:
    progress = datasets.progress(experiment, ballots, simulated=simulated)
    excluded = excluded_now(experiment).ballots
    versions = dict(Consent.objects.filter(ballot__experiment=experiment).values_list("ballot", "text_version__number"))
    attention = outcomes(experiment=experiment, ballots=[ballot.ballot for ballot in ballots])
    for each, ballot in zip(progress, ballots, strict=True):
        found = attention.get(ballot.ballot)
        yield {
            "subject_id": subject_id(ballot.participant, ballot.ballot) if ballot.vote_count else "",
            "subject_column": f"subject_{each.listener}",
            "panel": ballot.panel,
            "seat": ballot.seat,
            "row_type": ballot.kind,
            "votes": ballot.vote_count,
            "pages": each.pages,
            "of_pages": each.of_pages,
            "complete": each.complete,
            "text_version": versions.get(ballot.ballot, ""),
            "excluded": ballot.ballot in excluded,
            "exclusion_reason": excluded.get(ballot.ballot, ""),
            "checks_passed": found.passed if found else None,
            "checks_failed": found.failed if found else None,
            "repeat_pairs": len(found.pairs) if found else None,
            "repeat_difference": found.difference if found else None,
            "repeat_r": found.correlation if found else None,
        }


def _exclusions(experiment: Experiment) -> Iterator[dict[str, Any]]:
    for entry in ledger_of(experiment):
        yield {name: getattr(entry, name, None) for name in EXCLUSIONS} | {
            "kind": str(entry.kind),
            "subject_id": name_of_listener(entry.seat),
            "panel": entry.seat.panel.number,
            "seat": entry.seat.number,
            "position": entry.trial.position if entry.trial else None,
            "made_at": entry.created_at,
            "made_by": entry.made_by.username,
            "lifted_by": entry.lifted_by.username if entry.lifted_by else None,
        }


def _text_versions(experiment: Experiment) -> Iterator[dict[str, Any]]:
    counts = consent_counts(experiment)
    changed = {amendment.version.pk: amendment.changed for amendment in amendments(experiment)}
    for version in published_texts(experiment):
        yield {
            "text_version": version.number,
            "published_at": version.published_at,
            "reason": version.reason,
            "changed": " ".join(changed.get(version.pk, ())),
            "consents": counts.get(version.pk, 0),
            "design_sha256": version.design_sha256,
            "consent_sha256": digest(version.consent_text),
            **{name: getattr(version, name) for name in TEXTS},
        }


def _stimuli(experiment: Experiment) -> list[dict[str, Any]]:
    names, blind = condition_names(experiment), experiment.unblinded_at is None
    rows = [
        {
            "item": heard.item,
            "condition": names[heard.condition],
            "condition_role": "" if blind else heard.role,
            "factors": heard.factors,
        }
        for heard in datasets.read_stimuli(experiment).values()
    ]
    return sorted(rows, key=lambda row: (row["item"], len(row["condition"]), row["condition"]))


def _results(experiment: Experiment, results: dict[str, dict[str, Any]], *, simulated: bool) -> Iterator[File]:
    """Every table of every method that was computed, and what its report adds."""
    for slug, result in results.items():
        tables, reader, computed = result["table"], get_report(slug), result["computed_at"] is not None
        if computed:
            yield f"results/{slug}.csv", csv_lines(table_rows(tables), columns=table_columns(tables))
        for name, file in reader.files.items():
            if computed or file.of_votes:
                yield f"results/{name}", file.make(experiment, result, {})
        yield from reader.dataset(experiment, result, simulated=simulated)


def _description(experiment: Experiment, *, simulated: bool) -> dict[str, Any]:
    return {
        "name": experiment.title,
        "description": f"Answers to the listening test {experiment.slug}, one row a mark.",
        "identifier": experiment.slug,
        "schemaVersion": "Psych-DS 0.4.0",
        "variableMeasured": list(meanings_for(get_protocol(experiment.protocol))),
        "conditions": "letters" if experiment.unblinded_at is None else "names",
        "simulated_listeners": simulated,
    }


def _design(experiment: Experiment) -> dict[str, Any]:
    """What was planned. Seeds and settings would give the letters or the names of conditions away."""
    protocol, labels = get_protocol(experiment.protocol), labels_of(experiment)
    design = Design.objects.filter(experiment=experiment).first()
    told: dict[str, Any] = {
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
        "extensions": [_extension(extension) for extension in experiment.extensions.all()],
    }
    if asked := [question for question in experiment.questions if question["place"] == Place.SCREENING]:
        told["screening"] = {"questions": asked, "turned_away": turned_away_count(experiment.pk)}
    if experiment.unblinded_at is None:
        return told
    open_only = {"seed": experiment.seed, "options": experiment.options}
    return told | open_only | ({"settings": design.settings, "report": design.report} if design else {})


def _attention(experiment: Experiment) -> dict[str, Any]:
    """How many checks each listener has; which clips they are, and what is expected, once conditions are named."""
    used = experiment.checks.get("clips", [])
    counts = {"clips": len(used), "repeats": experiment.checks.get("repeats", 0)}
    return counts | ({} if experiment.unblinded_at is None else {"expected": used})


def _extension(extension: Extension) -> dict[str, Any]:
    names = ("number", "reason", "panels_before", "panels", "listeners_before", "listeners", "subsets", "sha256")
    return {"date": f"{extension.created_at:%Y-%m-%dT%H:%M:%SZ}", **{name: getattr(extension, name) for name in names}}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=False) + "\n"


def _readme(experiment: Experiment, *, results: list[dict[str, Any]], votes: int, root: str) -> str:
    return README.format(
        title=experiment.title,
        slug=experiment.slug,
        protocol=experiment.protocol,
        label_set=experiment.label_set,
        marks=f"{votes:,}",
        conditions=BLIND if experiment.unblinded_at is None else OPEN,
        root=root,
        results="\n".join(_computed(result) for result in results),
    )


def _computed(result: dict[str, Any]) -> str:
    if result["computed_at"] is None:
        return f"Method {result['method']}: not computed yet, so its tables are not here. Download the dataset again."
    told = (
        f"Method {result['method']} {result['version']}, computed {result['computed_at']:%Y-%m-%d %H:%M:%S} UTC "
        f"from {result['vote_count']:,} answers."
    )
    later = " Newer answers have come in since: the responses hold them, the results do not."
    return told + (later if result["stale"] else "")


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


def _zipped(folder: str, files: Sequence[File]) -> Iterator[bytes]:
    """Yield a zip of these files (name and text, in pieces) in one folder, and at last the list of their digests."""
    buffer, digests = _ZipBuffer(), []
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for name, pieces in files:
            digest = hashlib.sha256()
            with archive.open(_entry(f"{folder}/{name}"), "w", force_zip64=True) as entry:
                for piece in pieces:
                    data = piece.encode() if isinstance(piece, str) else piece
                    digest.update(data)
                    entry.write(data)
                    if len(buffer.pending) >= PIECE_BYTES:
                        yield buffer.fetch()
            digests.append(f"{digest.hexdigest()}  {name}\n")
        archive.writestr(_entry(f"{folder}/{CHECKSUMS}"), "".join(digests))
    yield buffer.fetch()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
