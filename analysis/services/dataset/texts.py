"""Texts of the dataset: README, citation and description, made of what the zip holds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.services.dataset.anonymity import Suppression
from analysis.services.dataset.columns import sidecar
from rating.models import Experiment

README = """# {title}

Dataset of the listening test `{slug}` (protocol {protocol}, wording {label_set}), made by Earmark.
{marks} marks. Conditions are {conditions}.
{edition}
Each table in `data/` has a `.json` beside it that explains every column; `documentation/codebook.csv` has all of them
in one table. A table without rows is not written{left_out}.

- `responses`: one row a mark that counts, practice and attention checks included (`kind`), with response times, stalls,
  interruptions, one column for each factor, and what the listener had heard of the item before.
- `participants`: which column of the wide matrices is which listener, how many pages of the test were answered, and
  whether nothing is left (`complete`), device, sound checks and flags. Where listeners are incomplete, the results hold
  figures with and without them: means over listeners are of complete ones and `all_listeners` of everybody, or, with
  other methods than mos, they are of everybody and `complete_listeners` of complete ones. No table of results holds an
  answer to an attention check.
- `seats`: every seat with its plan's hash and the consent, also those that were released (`abandoned`) and given to the
  next person (`occupancy`). Of a listener who withdrew nothing but this row is here.
- `trials`: what every seat was to hear, in which order.
- `answers`: every answer as it arrived, earlier revisions, conflicts and those of released seats included.
- `visits`, `checks`, `interruptions`: sittings with their devices, sound checks, and what went wrong in the browser.
- `stimuli`: items, conditions, factors, hashes, durations and loudness.
- `texts`: every version of the title, consent text, instructions and debrief that listeners could read, from when on,
  why it was amended, and how many agreed to it.
- `labels`: the words of the scales.
- `exclusions`: the ledger of exclusions, lifted ones included. Nothing is missing from the responses: `excluded` and
  `exclusion_reason` say of each mark whether the results leave it out.
- `questionnaire`: answers to questions before or after the clips, one row a listener; several choices joined by `|`.

Beside the tables:

- `results/`: every table of the results page, to the last digit. `unit` says what the interval is over: model (mixed
  model with listeners and items random), listener, item, two-way (bootstrap over listeners and items), vote or
  vote-1.96 (as the P.808 toolkit has it). What cannot be computed is empty.
- `analysis/`: `starter.py` (pandas, scipy) and `starter.R` print the means by condition, as `expected.csv` has them,
  and the R script the mixed model. `starter_output.txt` is what `starter.py` said when this zip was made.
- `legacy/udase/`: one matrix a scale: condition, sample, subject_1 ..., empty where a listener did not rate a clip.
  Of a clip that was rated twice by one listener the last mark stands here. Excluded marks are empty.
- `legacy/p808/`: the shapes of the P.808 toolkit, all votes pooled, intervals 1.96 SE. As there, excluded votes are not
  in them.
- `design.json`: what was planned, with the hashes that fix it, and every extension with its date, reason and hash.
  `layout_sha256` covers the newest one, which covers the one before, down to `first_layout_sha256`.
- `experiment.yaml`: the experiment as a file, from which Earmark makes another one; only once conditions are named.
- `CITATION.cff`: how to cite it.
- `checksums.sha256`: `sha256sum -c checksums.sha256`, or `manage.py verify_export` for all checks.

UTF-8, dot decimals, times in UTC, missing values empty. A text that a spreadsheet would run as a formula (it
begins with = + - @, a tab or a line break) has an apostrophe before it; numbers have none.

Root of the server's records when these answers were first downloaded: `{root}`. Whether any of them was altered
or removed since, `manage.py verify_votes --root {root}` says on that server.

{results}
"""
BLIND = "letters: the experiment has not been unblinded"
OPEN = "named: the experiment has been unblinded"
ANONYMOUS = """
Anonymous edition: no free text of listeners, no reason that a person typed, no account, no browser, no language of
consent, no raw answer; times are seconds since the seat was taken. Every combination of {columns} is shared by at
least {k} of the {listeners} listeners. For that, answers were left empty: {cells}.
`subject_id` is the pseudonym of the full data; keep that, and the list of completion codes, to yourself.
"""
PSYCH_DS = "Psych-DS 0.4.0"


@dataclass
class Contents:
    """What was written into the zip: columns and rows of each table, and the tables that were empty."""

    columns: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def readme(
    experiment: Experiment,
    contents: Contents,
    *,
    results: Sequence[Mapping[str, Any]],
    root: str,
    suppression: Suppression | None,
) -> str:
    left_out = contents.left_out
    return README.format(
        title=experiment.title,
        slug=experiment.slug,
        protocol=experiment.protocol,
        label_set=experiment.label_set,
        marks=f"{contents.rows.get('responses', 0):,}",
        conditions=BLIND if experiment.unblinded_at is None else OPEN,
        edition=_edition(suppression),
        left_out=f": {', '.join(left_out)}" if left_out else "",
        root=root,
        results="\n".join(_computed(result, anonymous=suppression is not None) for result in results),
    )


def _edition(suppression: Suppression | None) -> str:
    if suppression is None:
        return ""
    cells = ", ".join(f"{count} of {name}" for name, count in suppression.emptied.items()) or "none"
    columns = ", ".join(suppression.columns) or "nothing"
    return ANONYMOUS.format(columns=columns, k=suppression.k, listeners=suppression.listeners, cells=cells)


def _computed(result: Mapping[str, Any], *, anonymous: bool) -> str:
    """What the results were computed from; results follow the last answer within minutes, so the time is its time."""
    if result["computed_at"] is None:
        return f"Method {result['method']}: not computed yet, so its tables are not here. Download the dataset again."
    when = "" if anonymous else f" {result['computed_at']:%Y-%m-%d %H:%M:%S} UTC"
    told = f"Method {result['method']} {result['version']}, computed{when} from {result['vote_count']:,} answers."
    later = " Newer answers have come in since: the responses hold them, the results do not."
    return told + (later if result["stale"] else "")


def description(
    experiment: Experiment, contents: Contents, *, simulated: bool, root: str, suppression: Suppression | None
) -> dict[str, Any]:
    """The file that makes it a Psych-DS dataset: every column of every table is in `variableMeasured`."""
    columns: dict[str, Any] = {}
    for own in contents.columns.values():
        columns = {**own, **columns}
    return {
        **sidecar(columns),
        "@type": "Dataset",
        "name": experiment.title,
        "description": f"Answers to the listening test {experiment.slug}, one row a mark.",
        "identifier": experiment.slug,
        "schemaVersion": PSYCH_DS,
        "author": [{"@type": "Person", "name": author_name(experiment, anonymous=suppression is not None)}],
        "tables": contents.rows,
        "conditions": "letters" if experiment.unblinded_at is None else "names",
        "simulated_listeners": simulated,
        "anonymous": None
        if suppression is None
        else {"k": suppression.k, "columns": list(suppression.columns), "emptied": suppression.emptied},
        "root": root,
    }


def author_name(experiment: Experiment, *, anonymous: bool) -> str:
    """The owner's full name, or the name of the account, which the anonymous edition does not tell."""
    return experiment.owner.get_full_name() or ("anonymous" if anonymous else experiment.owner.get_username())


def citation(experiment: Experiment, *, marks: int, anonymous: bool) -> str:
    """CITATION.cff 1.2.0, which is YAML; a JSON string is a YAML string."""
    opened = experiment.unblinded_at
    lines = [
        "cff-version: 1.2.0",
        f"message: {json.dumps('If you use this dataset, please cite it as below.')}",
        "type: dataset",
        f"title: {json.dumps(experiment.title, ensure_ascii=False)}",
        "authors:",
        f"  - name: {json.dumps(author_name(experiment, anonymous=anonymous), ensure_ascii=False)}",
        f"abstract: {json.dumps(f'Answers to the listening test {experiment.slug}: {marks} marks.')}",
        *([f"date-released: {opened:%Y-%m-%d}"] if opened else []),
        *([f'version: "{experiment.design_sha256[:12]}"'] if experiment.design_sha256 else []),
    ]
    return "\n".join(lines) + "\n"


def as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=False, default=str) + "\n"
