"""The mixed model of 20,000 votes against statsmodels and lme4, and how often intervals and tests are right."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, stdtrit

from analysis.statistics.bootstrap import two_way_bootstrap
from analysis.statistics.categories import bounded_mean
from analysis.statistics.contrasts import all_pairs
from analysis.statistics.estimates import CONFIDENCE, Estimate, Floats
from analysis.statistics.mixed_model import COMPONENTS, Kind, fit_mixed_model
from analysis.statistics.multivariate import permanova_within
from analysis.statistics.objective_metrics import compare_correlations, pearson
from analysis.statistics.p910 import listener_model
from analysis.statistics.ranks import friedman, signed_rank

ROUNDS = 5
TAIL = 0.5 + CONFIDENCE / 2
NORMAL_QUANTILE = 1.96  # of the interval over votes that the P.808 toolkit prints
REPLICATIONS = int(os.environ.get("EARMARK_BENCH_REPLICATIONS", "1000"))
# Variances of listener, item, listener:condition, item:condition and error, of the size found in P.835 votes on OVRL.
VARIANCES = (0.20, 0.30, 0.06, 0.06, 0.30)
OF_LISTENERS = VARIANCES[0] + VARIANCES[2] + VARIANCES[4]  # between votes of different people on one clip
MEANS = (2.4, 2.8, 3.0, 3.4)
METRIC_R = 0.7  # true correlation of two metrics with the votes, between conditions and within
METRIC_SIZES = ((5, 20), (10, 12), (20, 10))  # conditions, and clips of each
# Studies on the plane: 8 conditions; raters, recordings, and the variance of rater:condition relative to the error's.
PLANE_CONDITIONS = 8
PLANE_STUDIES = [(raters, 4, share) for share in (0.25, 0.5, 1.0) for raters in (4, 8, 16)] + [(16, 8, 1.0)]
PLANE_PERMUTATIONS = 199
FORMULAS: Mapping[Kind, str] = {
    "full": "score ~ condition + (1|listener) + (1|item) + (1|listener:condition) + (1|item:condition)",
    "intercepts": "score ~ condition + (1|listener) + (1|item)",
}
# Prints the CPU seconds of the fit alone, and with means, all differences and degrees of freedom.
R_TIMING = """
suppressPackageStartupMessages({library(lmerTest); library(emmeans)})
emm_options(lmerTest.limit = 1e6)
votes <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = TRUE)
for (name in c("listener", "item", "condition")) votes[[name]] <- factor(votes[[name]])
formula <- as.formula(commandArgs(TRUE)[2])
cpu <- function(taken) sum(taken[c("user.self", "sys.self")])
fit <- cpu(system.time(lme4::lmer(formula, votes)))
all <- cpu(system.time(pairs(emmeans(lmer(formula, votes), "condition", lmer.df = "satterthwaite"))))
cat(fit, all)
"""


class Design(NamedTuple):
    title: str
    listeners: int
    items: int
    panels: int = 1  # each hears its own share of the items
    missing: float = 0.0
    rounded: bool = True  # to the categories 1 to 5


DESIGNS = (
    Design("24 listeners x 20 items, not rounded", 24, 20, rounded=False),
    Design("24 listeners x 20 items", 24, 20),
    Design("16 listeners x 40 items", 16, 40),
    Design("32 listeners in 4 panels of 8 items each, a tenth of the votes missing", 32, 32, panels=4, missing=0.1),
    Design("8 listeners x 6 items", 8, 6),
)


def run() -> Iterator[str]:
    yield from _speed(_votes(Design("", 40, 100), np.random.default_rng(1), (*MEANS, 3.5)))
    for design in DESIGNS:
        yield from _coverage(design)
    yield from (_metrics(*sizes) for sizes in METRIC_SIZES)
    yield from (_block_tests(*study) for study in PLANE_STUDIES)


def _speed(votes: pd.DataFrame) -> Iterator[str]:
    size = f"{len(votes):,} votes (40 listeners x 100 items x 5 conditions)"
    for kind in FORMULAS:
        ours = median(_cpu_s(partial(_everything, votes, kind)) for _ in range(ROUNDS))
        named = f"{len(COMPONENTS[kind])} components"
        yield f"{size}, {named}, all differences with degrees of freedom: {ours:.3f} s of CPU"
        if kind == "intercepts":
            yield f"{named}: {_against_statsmodels(votes, ours)}"
        yield f"{named}: {_against_r(votes, FORMULAS[kind], ours)}"


def _everything(votes: pd.DataFrame, kind: Kind) -> object:
    return all_pairs(fit_mixed_model(votes, kind=kind))


def _against_statsmodels(votes: pd.DataFrame, ours: float) -> str:
    if not find_spec("statsmodels"):
        return "statsmodels is not installed, so nothing was compared with it"
    package = import_module("statsmodels.formula.api")
    parts = {"listener": "0 + C(listener)", "item": "0 + C(item)"}
    model = package.mixedlm("score ~ C(condition)", votes, groups=np.ones(len(votes)), vc_formula=parts)
    other = _cpu_s(lambda: model.fit(reml=True))
    return f"statsmodels {other:.1f} s for the fit alone, ratio {other / ours:.0f}"


def _against_r(votes: pd.DataFrame, formula: str, ours: float) -> str:
    program = shutil.which("Rscript")
    if program is None:
        return "R is not installed, so nothing was compared with lme4"
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "votes.csv"
        votes.to_csv(table, index=False)
        said = subprocess.run(
            [program, "-e", R_TIMING, str(table), formula], capture_output=True, text=True, check=False
        )
    if said.returncode:
        return f"lme4 with lmerTest and emmeans could not be run: {said.stderr.strip()[-200:]}"
    fit, everything = map(float, said.stdout.split()[-2:])
    return (
        f"lme4 {fit:.2f} s for the fit alone, ratio {fit / ours:.0f}; with lmerTest and emmeans {everything:.2f} s, "
        f"ratio {everything / ours:.0f}"
    )


def _cpu_s(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _votes(design: Design, rng: np.random.Generator, means: Sequence[float] = MEANS) -> pd.DataFrame:
    shape = (design.listeners, design.items, len(means))
    listener, item, condition = np.indices(shape).reshape(3, -1)
    heard = item * design.panels // design.items == listener % design.panels
    heard &= rng.random(len(heard)) >= design.missing
    listener, item, condition = listener[heard], item[heard], condition[heard]
    deviations = np.sqrt(VARIANCES)
    by_listener, by_item = (rng.normal(0, deviations[at], shape[at]) for at in (0, 1))
    by_listener_condition, by_item_condition = (
        rng.normal(0, deviations[2 + at], (shape[at], shape[2])) for at in (0, 1)
    )
    clip = np.array(means)[condition] + by_item[item] + by_item_condition[item, condition]
    heard_as = by_listener[listener] + by_listener_condition[listener, condition]
    score = clip + heard_as + rng.normal(0, deviations[4], len(listener))
    if design.rounded:
        score = np.clip(np.rint(score), 1, 5)
    found = pd.DataFrame({"listener": listener, "item": item, "condition": condition, "score": score})
    return found.assign(true_clip=_expected(design, clip, OF_LISTENERS))


def _expected(design: Design, means: Floats, variance: float) -> Floats:
    """Of votes about these means; rounding moves them, by as much as the normal distribution says."""
    if not design.rounded:
        return means
    edges = (np.arange(1.5, 5.0)[:, None] - means) / np.sqrt(variance)
    return np.asarray(1 + (1 - ndtr(edges)).sum(axis=0))


Intervals = tuple[Floats, Floats]  # middles and half widths


def _coverage(design: Design) -> Iterator[str]:
    """Shares of intervals that hold the true mean, over conditions or clips, and the true difference, over pairs."""
    rng = np.random.default_rng(2026)
    truth = _expected(design, np.array(MEANS), sum(VARIANCES))  # of all listeners and items there could be
    pairs = np.array(list(combinations(range(len(MEANS)), 2)))
    true_differences = truth[pairs[:, 0]] - truth[pairs[:, 1]]
    held: dict[str, list[tuple[float, float]]] = {}
    for _ in range(REPLICATIONS):
        votes = _votes(design, rng)
        for name, (means, differences) in _intervals(votes, pairs).items():
            held.setdefault(name, []).append((_share(means, truth), _share(differences, true_differences)))
        if design.rounded:
            held.setdefault("bounded, votes", []).append((_share(_bounded(votes["condition"], votes), truth), np.nan))
        for name, share in _clips(votes, design).items():
            held.setdefault(f"clip, {name}", []).append((share, np.nan))
    for name, shares in held.items():
        mean, difference = np.mean(shares, axis=0)
        known = f", difference {difference:6.1%}" if np.isfinite(difference) else ""
        yield f"{design.title}, {REPLICATIONS} times: {name:22} mean {mean:6.1%}{known}"


def _clips(votes: pd.DataFrame, design: Design) -> dict[str, float]:
    """Intervals of the mean that all listeners there could be would give to a clip."""
    of_clip = votes["item"] * len(MEANS) + votes["condition"]
    by_clip = votes.groupby(of_clip)
    truth = by_clip["true_clip"].first().to_numpy()
    n, mean, squared = by_clip["score"].agg(["count", "mean", "var"]).to_numpy().T
    error = np.sqrt(squared / n)
    stimulus = pd.factorize(of_clip, sort=True)[0].astype(np.int64)
    model = listener_model(votes["listener"].to_numpy(np.int64), stimulus, votes["score"].to_numpy(np.float64))
    found: dict[str, Intervals] = {
        "over votes": (mean, stdtrit(n - 1, TAIL) * error),
        "over votes, 1.96": (mean, NORMAL_QUANTILE * error),
        "P.910": (model.quality, model.half_width),
    }
    if design.rounded:
        found["bounded"] = _bounded(of_clip, votes)
    return {name: _share(intervals, truth) for name, intervals in found.items()}


def _metrics(conditions: int, clips: int) -> str:
    """How often intervals of a metric's correlation hold, and how often two equally good metrics are told apart."""
    rng = np.random.default_rng(2026)

    def related(n: int) -> Floats:
        votes, *noise = rng.normal(size=(3, n))
        return np.stack([votes, *(METRIC_R * votes + np.sqrt(1 - METRIC_R**2) * each for each in noise)])

    held, found = np.zeros((2, 2))
    for _ in range(REPLICATIONS):
        files = np.repeat(related(conditions), clips, axis=1) + related(conditions * clips)
        for level, points in enumerate((files, files.reshape(3, conditions, clips).mean(axis=2))):
            votes, first, second = points
            interval = pearson(first, votes)
            held[level] += interval.low <= METRIC_R <= interval.high
            found[level] += compare_correlations(first, second, votes).p < 0.05
    told = [f"{share:.1%}" for share in (*held / REPLICATIONS, *found / REPLICATIONS)]
    return (
        f"metrics, {conditions} conditions x {clips} clips, {REPLICATIONS} times: interval of r holds per file "
        f"{told[0]}, per condition {told[1]}; equal metrics told apart per file {told[2]}, per condition {told[3]}"
    )


def _block_tests(raters: int, recordings: int, share: float) -> str:
    """How often tests over blocks of rater and recording find differences of conditions that are all equal."""
    rng = np.random.default_rng(2026)
    found = np.zeros(3)
    for _ in range(REPLICATIONS):
        opinions = rng.normal(0, np.sqrt(share), (raters, 1, PLANE_CONDITIONS, 2))
        marks = opinions + rng.normal(size=(raters, recordings, PLANE_CONDITIONS, 2))
        blocks = marks[..., 0].reshape(-1, PLANE_CONDITIONS)
        over_raters = permanova_within(marks.mean(axis=1), rng, permutations=PLANE_PERMUTATIONS)
        p = friedman(blocks).p, signed_rank(blocks[:, 0] - blocks[:, 1]).p, over_raters.p
        found += np.array(p) <= 1 - CONFIDENCE
    told = [f"{each:.1%}" for each in found / REPLICATIONS]
    return (
        f"plane, {raters} raters x {recordings} recordings, rater:condition {share:g} of the error, {REPLICATIONS} "
        f"times: equal conditions told apart by Friedman's test over blocks {told[0]}, one pair by Wilcoxon's {told[1]}"
        f", by permutation of rater means {told[2]}"
    )


def _share(intervals: Intervals, truth: Floats) -> float:
    middles, half = intervals
    return float((np.abs(middles - truth) <= half).mean())


def _intervals(votes: pd.DataFrame, pairs: Any) -> dict[str, tuple[Intervals, Intervals]]:
    found = {"over votes": _over_votes(votes, pairs), "over votes, 1.96": _over_votes(votes, pairs, NORMAL_QUANTILE)}
    for unit in ("listener", "item"):
        values = votes.pivot_table(index=unit, columns="condition", values="score").to_numpy()
        differences = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
        found[f"over {unit}s"] = _over_units(values), _over_units(differences)
    found["two-way bootstrap"] = _two_way(votes)
    for kind in FORMULAS:
        found[f"mixed, {kind}"] = _of_model(votes, kind)
    return found


def _two_way(votes: pd.DataFrame) -> tuple[Intervals, Intervals]:
    found = two_way_bootstrap(votes, np.random.default_rng(len(votes)))
    return _halves(list(found.means.values())), _halves(list(found.differences.values()))


def _bounded(unit: "pd.Series[Any]", votes: pd.DataFrame) -> Intervals:
    return _halves([bounded_mean(each.to_numpy()) for _, each in votes.groupby(unit)["score"]])


def _halves(intervals: Sequence[Any]) -> Intervals:
    """Limits need not lie about the estimate; what counts is whether they hold the true value between them."""
    low, high = (np.array([getattr(each, end) for each in intervals]) for end in ("low", "high"))
    return (low + high) / 2, (high - low) / 2


def _over_units(values: Floats) -> Intervals:
    each = [Estimate.over(column) for column in values.T]
    return np.array([one.mean for one in each]), np.array([one.half_width for one in each])


def _over_votes(votes: pd.DataFrame, pairs: Any, quantile: float | None = None) -> tuple[Intervals, Intervals]:
    """Differences by Welch's interval of two samples, as if every vote had come from another person."""
    by_condition = votes.groupby("condition")["score"].agg(["count", "mean", "var"]).to_numpy().T
    n, mean, squared = by_condition[0], by_condition[1], by_condition[2] / by_condition[0]
    a, b = squared[pairs[:, 0]], squared[pairs[:, 1]]
    df = (a + b) ** 2 / (a**2 / (n[pairs[:, 0]] - 1) + b**2 / (n[pairs[:, 1]] - 1))
    of_mean, of_difference = (stdtrit(n - 1, TAIL), stdtrit(df, TAIL)) if quantile is None else (quantile, quantile)
    return (
        (mean, of_mean * np.sqrt(squared)),
        (mean[pairs[:, 0]] - mean[pairs[:, 1]], of_difference * np.sqrt(a + b)),
    )


def _of_model(votes: pd.DataFrame, kind: Kind) -> tuple[Intervals, Intervals]:
    fitted = fit_mixed_model(votes, kind=kind)
    return _halves(fitted.means()), _halves(all_pairs(fitted))
