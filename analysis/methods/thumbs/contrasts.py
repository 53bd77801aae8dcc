"""Whether captions of two sources differ: all six scores of every pair, tested over clips."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from analysis.methods.thumbs.scored import SCALES, Scored
from analysis.statistics.differences import d_z, paired_t, welch_t
from analysis.statistics.estimates import Estimate, Floats, figure
from analysis.statistics.ranks import holm, signed_rank

Rows = list[dict[str, Any]]
ADJUSTED = ("p", "p_welch", "p_wilcoxon")  # each over the six scores of a pair, in a dataset, by a group


def contrasts(scored: Scored) -> Rows:
    """Every source against every other, both ways round, so that the order of a pair tells nothing of the names."""
    rows: Rows = []
    for about, part in scored.parts():
        means = part.clip_means()
        for one, other in permutations(range(len(part.sources)), 2):
            named = {"condition": part.sources[one], "against": part.sources[other], **about}
            tested = [_tested(means[code, :, one], means[code, :, other]) for code in range(len(SCALES))]
            for column in ADJUSTED:
                adjusted = holm(np.array([row[column] for row in tested], dtype=float))
                for row, p in zip(tested, adjusted.tolist(), strict=True):
                    row[f"{column}_holm"] = p
            rows += [
                {**named, "scale": scale, "n_clips": n, **{name: figure(value) for name, value in row.items()}}
                for scale, row in zip(SCALES, tested, strict=True)
                if (n := row.pop("n"))
            ]
    return rows


def _tested(first: Floats, second: Floats) -> dict[str, Any]:
    """Paired over the clips that have both captions; Welch's test takes the same clips as two samples."""
    both = np.isfinite(first) & np.isfinite(second)
    first, second = first[both], second[both]
    differences = np.round(first - second, 12)  # 3.9 - 3.6 and 4.2 - 3.9 are the same, and must not seem to vary
    found, paired, welch = Estimate.over(differences), paired_t(differences), welch_t(first, second)
    effect, ranks = d_z(differences), signed_rank(differences)
    return {
        "n": found.n,
        "difference": found.mean,
        "ci_low": found.mean - found.half_width,
        "ci_high": found.mean + found.half_width,
        "t": paired.t,
        "df": paired.df,
        "p": paired.p,
        "d_z": effect.value,
        "d_z_low": effect.low,
        "d_z_high": effect.high,
        "t_welch": welch.t,
        "df_welch": welch.df,
        "p_welch": welch.p,
        "w_plus": ranks.w_plus,
        "p_wilcoxon": ranks.p if ranks.n else np.nan,
    }
