"""The page that a dataset opens with."""

from typing import Any

from rating.models import Experiment

README = """# {title}

Dataset of the listening test `{slug}` (protocol {protocol}, wording {label_set}), made by Earmark.
{marks} marks. Conditions are {conditions}.

- `data/*responses_data.csv`: one row a mark, practice included (`kind`). The `.json` beside it explains every column.
- `data/*participants_data.csv`: which column of the wide matrices is which listener, how many pages of the test were
  answered, and whether anything is left (`complete`). Results count everybody; `complete_listeners` in them does not.
- `data/*stimuli_data.csv`: items, conditions, factors.
- `results/`: every table of the results page, to the last digit. `unit` says what the interval is over: listener, vote,
  vote-1.96 (as the P.808 toolkit has it) or item. What cannot be computed is empty.
- `analysis/`: `starter.py` (pandas, scipy) and `starter.R` print the means by condition, as `expected.csv` has them.
- `legacy/udase/`: one matrix a scale: condition, sample, subject_1 ..., empty where a listener did not rate a clip.
  Of a clip that was rated twice by one listener the last mark stands here.
- `legacy/p808/`: the shapes of the P.808 toolkit, all votes pooled, intervals 1.96 SE.
- `design.json`: what was planned, with the hashes that fix it. `checksums.sha256`: `sha256sum -c checksums.sha256`.

UTF-8, dot decimals, times in UTC, missing values empty. A text that a spreadsheet would run as a formula (it
begins with = + - @, a tab or a line break) has an apostrophe before it; numbers have none.

Root of the server's records when this was downloaded: `{root}`. Whether any of them was altered or removed
since, `manage.py verify_votes --root {root}` says on that server.

{results}
"""
BLIND = "letters: the experiment has not been unblinded"
OPEN = "named: the experiment has been unblinded"


def readme(experiment: Experiment, *, results: list[dict[str, Any]], votes: int, root: str) -> str:
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
