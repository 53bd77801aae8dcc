"""Differences within listeners: between conditions, between orders of the scales, over positions and sessions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from analysis.mos.cells import Cells, Floats, Summary, Sums, figures, names, ratio, spread, t_quantile

Rows = list[dict[str, Any]]

UNPROCESSED = ("c0", "unprocessed", "noisy", "mixture")  # what a condition to compare with is usually called
PAIRED_CONDITIONS = 30  # with more of them, each is compared with the baseline alone
PAGES = 100  # a slope is told for this many pages, so that it can be read beside a scale of five points


def within_listeners(marks: pd.DataFrame, people: Cells) -> dict[str, Any]:
    """Everything in which listeners are compared with themselves."""
    sums = Sums.of(marks)
    return {
        "differences": differences(marks, ratio(people.x, people.n)),
        "orders": scale_orders(marks),
        "positions": positions(marks, sums),
        "sessions": sessions(marks, sums),
    }


def baseline(marks: pd.DataFrame) -> str:
    """The condition that the others are compared with first: by its name, or else the first that is under test."""
    roles = marks.drop_duplicates("condition", keep="last").set_index("condition")["condition_role"]
    known = [str(name) for name in names(marks, "condition")]
    tested = [name for name in known if roles[name] == "test"] or known
    called = [name for wanted in UNPROCESSED for name in tested if name.lower() == wanted]
    return next(iter([*called, *tested]))


def differences(marks: pd.DataFrame, means: Floats) -> Rows:
    """Every condition against every other (or against the baseline, where there are many), paired by listener.

    `means` is scale x condition x listener, nan where a listener heard nothing of it.
    """
    conditions, scales = names(marks, "condition"), names(marks, "scale")
    against = range(len(conditions)) if len(conditions) <= PAIRED_CONDITIONS else [conditions.index(baseline(marks))]
    rows: Rows = []
    for other in against:
        found = spread(means - means[:, other : other + 1])
        for (scale, one), row in _difference_rows(found):
            if one != other:
                pair = {"condition": conditions[one], "against": conditions[other]}
                rows.append(pair | {"scale": scales[scale]} | row)
    return rows


def scale_orders(marks: pd.DataFrame) -> Rows:
    """What asking in another order changes, for each scale and condition, and for all conditions together.

    Within listeners where they heard a condition under both orders; between listeners (Welch) where nobody did.
    """
    orders = [name for name in names(marks, "order") if name]
    if len(orders) < 2:
        return []
    cells = Cells.of(marks, ("order", "scale", "condition", "listener"))
    means = ratio(cells.x, cells.n)
    rows: Rows = []
    # Orders rise by name, and each is told less those that come before it.
    for against, order in combinations(orders, 2):
        one, other = (means[names(marks, "order").index(name)] for name in (order, against))
        about = {"order": order, "against_order": against}
        together, single = _order_differences(*_together(one, other)), _order_differences(one, other)
        for number, scale in enumerate(names(marks, "scale")):
            found = [(None, together[number]), *zip(names(marks, "condition"), single[number], strict=True)]
            rows += [about | {"scale": scale, "condition": condition} | row for condition, row in found if row]
    return rows


def positions(marks: pd.DataFrame, sums: Sums) -> Rows:
    """How residuals (mark minus the mean of its condition) move with the position inside a session, by listener.

    With p the position and r the residual, both about their means in a listener's session: slope = sum(p r) / sum(p p).
    """
    n, p, pp = (part.sum(axis=-1) for part in (sums.n, sums.p, sums.pp))
    means = np.nan_to_num(sums.condition_means())[:, None, None, :]
    r, pr = sums.residuals().sum(axis=-1), (sums.px - sums.p * means).sum(axis=-1)
    across = np.nan_to_num(pr - ratio(p * r, n)).sum(axis=-1)
    along = np.nan_to_num(pp - ratio(p * p, n)).sum(axis=-1)
    found = spread(PAGES * ratio(across, along))
    return [
        {"scale": names(marks, "scale")[scale]} | row
        for (scale,), row in _difference_rows(found, name="slope_per_100_pages")
    ]


def sessions(marks: pd.DataFrame, sums: Sums) -> Rows:
    """The mean of each session over listeners, raw and as a residual: less condition mean and less listener mean."""
    n = np.swapaxes(sums.n.sum(axis=-1), 1, 2)
    rest = np.swapaxes(sums.residuals().sum(axis=-1), 1, 2)
    of_listener = ratio(rest.sum(axis=1), n.sum(axis=1))
    raw = spread(ratio(np.swapaxes(sums.x.sum(axis=-1), 1, 2), n))
    residual = spread(ratio(rest, n) - of_listener[:, None, :])
    rows: Rows = []
    for (scale, session), row in _difference_rows(residual, name="residual"):
        about = {"scale": names(marks, "scale")[scale], "session": int(names(marks, "session")[session])}
        counts = {"n_votes": int(n[scale, session].sum()), "mos": float(raw.mean[scale, session])}
        rows.append(about | counts | row)
    return rows


def _difference_rows(found: Summary, *, name: str = "difference") -> Iterator[tuple[tuple[int, ...], dict[str, Any]]]:
    half = found.half_width()
    columns = [figures(part.reshape(-1)) for part in (found.mean, found.sd, found.mean - half, found.mean + half)]
    counts = found.n.reshape(-1)
    for at in np.flatnonzero(counts).tolist():
        mean, sd, low, high = (column[at] for column in columns)
        numbers = {"n_listeners": int(counts[at]), name: mean, "sd": sd, "ci_low": low, "ci_high": high}
        yield tuple(int(i) for i in np.unravel_index(at, found.n.shape)), numbers | {"unit": "listener"}


def _together(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The mean over conditions, each with the same weight, of what a listener heard under both orders (or at all)."""
    both = np.isfinite(one) & np.isfinite(other)
    if both.any():
        one, other = np.where(both, one, np.nan), np.where(both, other, np.nan)
    means = (spread(np.swapaxes(values, 1, 2)).mean for values in (one, other))
    first, second = means
    return first, second


def _order_differences(one: Floats, other: Floats) -> Any:
    """Return a row for each group (the last axis is the listener), or None where one of the orders is missing."""
    rows: Any = np.full(one.shape[:-1], None, dtype=object)
    for at, row in _difference_rows(spread(one - other)):
        rows[at] = row | {"pairing": "within listeners"}
    first, second = spread(one), spread(other)
    for at in np.ndindex(rows.shape):
        if rows[at] is None and first.n[at] and second.n[at]:
            pair = [Summary(each.n[at], each.mean[at], each.sd[at]) for each in (first, second)]
            rows[at] = _welch(*pair) | {"pairing": "between listeners"}
    return rows.tolist()


def _welch(first: Summary, second: Summary) -> dict[str, Any]:
    """The difference of two groups of listeners with Welch's interval; no interval below two listeners each."""
    groups = (first, second)
    errors = [float(group.sd) ** 2 / float(group.n) for group in groups]
    difference = float(first.mean - second.mean)
    low = high = None
    if np.isfinite(errors).all() and sum(errors) > 0:
        parts = sum(error**2 / (float(group.n) - 1) for error, group in zip(errors, groups, strict=True))
        half = float(t_quantile(sum(errors) ** 2 / parts)) * float(np.sqrt(sum(errors)))
        low, high = difference - half, difference + half
    count = int(first.n + second.n)
    row = {"n_listeners": count, "difference": difference, "sd": None, "ci_low": low, "ci_high": high}
    return row | {"unit": "listener"}
