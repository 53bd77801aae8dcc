"""Print the mean opinion scores of this dataset, and say whether they are those that Earmark had computed.

Run it with Python 3.9 or newer, pandas and scipy: python analysis/starter.py
"""

import sys
from pathlib import Path

import pandas as pd
from scipy.stats import t

ROOT = Path(__file__).resolve().parent.parent
KEYS = ["condition", "scale"]
FIGURES = ["n_votes", "n_listeners", "mos", "sd", "ci_low", "ci_high"]


def mean_opinion_scores(votes: pd.DataFrame, complete: pd.Series) -> pd.DataFrame:
    """Average within each listener first, then over listeners, with the 95 % t interval over listeners.

    Excluded answers are left out. Listeners count who have answered every page; as long as nobody has, all of them do.
    """
    test = votes[(votes["kind"] == "test") & (votes["excluded"] == "false")]
    counted = test["subject_id"].isin(complete)
    test = test[counted] if counted.any() else test
    listeners = test.groupby([*KEYS, "subject_id"])["value"].mean().groupby(KEYS)
    table = pd.DataFrame(
        {
            "n_votes": test.groupby(KEYS)["value"].size(),
            "n_listeners": listeners.size(),
            "mos": listeners.mean(),
            "sd": listeners.std(ddof=1),
        }
    )
    half = t.ppf(0.975, table["n_listeners"] - 1) * table["sd"] / table["n_listeners"] ** 0.5
    return table.assign(ci_low=table["mos"] - half, ci_high=table["mos"] + half)


def compare(root: Path) -> tuple[str, bool]:
    """Compute the table from the files below this folder; return it as text, and whether it is the expected one."""
    found = list((root / "data").glob("*_description-responses_data.csv"))
    if not found:
        return "This dataset holds no answers.\n", True
    texts = {"condition": str, "subject_id": str, "excluded": str}
    votes = pd.read_csv(found[0], dtype=texts, keep_default_na=False)
    (participants,) = (root / "data").glob("*_description-participants_data.csv")
    people = pd.read_csv(participants, dtype=str, keep_default_na=False)
    complete = people.loc[people["complete"] == "true", "subject_id"]
    table = mean_opinion_scores(votes.assign(value=votes["value"].astype(float)), complete)
    said = table.round(6).to_string() + "\n"
    computed = root / "analysis" / "expected.csv"
    if not computed.exists():
        return said + "There is no expected.csv to compare with.\n", True
    read = pd.read_csv(computed, dtype={"condition": str, "scale": str})
    expected = read.set_index(KEYS).reindex(table.index)[FIGURES]
    same = ((table[FIGURES] - expected).abs() <= 1e-9) | (table[FIGURES].isna() & expected.isna())
    agrees = bool(same.all(axis=None)) and len(read) == len(table)
    return said + (
        "The same as expected.csv.\n" if agrees else "NOT the same as expected.csv: see README.md.\n"
    ), agrees


def main() -> int:
    said, agrees = compare(ROOT)
    sys.stdout.write(said)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
