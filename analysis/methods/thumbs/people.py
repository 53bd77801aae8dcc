"""Assessors: how each uses the scales, how far they agree, and whether they hear what is synthesised."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.methods.thumbs.scored import SCALES, Scored
from analysis.statistics.agreement import ALPHA_LEVEL, absolute_agreement, interval_alpha
from analysis.statistics.estimates import figure
from analysis.statistics.proportions import wilson
from analysis.statistics.raters import use_of_scale

Rows = list[dict[str, Any]]


def scale_use(scored: Scored) -> Rows:
    """Each assessor on each scale; `offset` is the bias: own marks less the others' mean on the same captions."""
    rows: Rows = []
    for code, scale in enumerate(SCALES):
        targets = scored.targets(code)
        for place, assessor in enumerate(scored.assessors):
            if np.isfinite(targets[place]).any():
                about = {"rater": assessor.listener, "group": assessor.group, "scale": scale}
                rows.append(about | use_of_scale(targets, place))
    return rows


def agreement(scored: Scored) -> Rows:
    """On each score over captions, by group: of one assessor, of the mean of all, and alpha, which takes gaps."""
    rows: Rows = []
    for about, part in scored.parts():
        if about["dataset"] is not None:
            continue
        for code, scale in enumerate(SCALES):
            marks = part.targets(code)
            marks = marks[np.isfinite(marks).any(axis=1)]
            single, (alpha, n_pairable) = absolute_agreement(marks), interval_alpha(marks)
            of_mean = single.of_mean(len(marks))
            rows.append(
                {
                    "scale": scale,
                    "group": about["group"],
                    "n_assessors": len(marks),
                    "icc_single": figure(single.value),
                    "icc_single_low": figure(single.low),
                    "icc_single_high": figure(single.high),
                    "icc_mean": figure(of_mean.value),
                    "icc_mean_low": figure(of_mean.low),
                    "icc_mean_high": figure(of_mean.high),
                    "icc_captions": single.n_targets,
                    "captions": int(np.isfinite(marks).any(axis=0).sum()),
                    "alpha": figure(alpha),
                    "alpha_level": ALPHA_LEVEL,
                    "alpha_marks": n_pairable,
                }
            )
    return rows


def told_synthesised(scored: Scored) -> Rows:
    """How often "synthesised?" was answered as the collection has it, by dataset and group; Wilson's interval."""
    rows: Rows = []
    for about, part in scored.parts():
        truth = np.array([np.nan if clip.synthesised is None else float(clip.synthesised) for clip in part.clips])
        asked = np.isfinite(part.said_synthesised) & np.isfinite(truth)
        if not asked.any():
            continue
        said, right = part.said_synthesised == 1, part.said_synthesised == truth
        n, hits = int(asked.sum()), int((right & asked).sum())
        share = wilson(hits, n)
        rows.append(
            {
                **about,
                "n_assessors": int(asked.any(axis=1).sum()),
                "n_clips": int(asked.any(axis=0).sum()),
                "n": n,
                "right": hits,
                "accuracy": figure(share.value),
                "ci_low": figure(share.low),
                "ci_high": figure(share.high),
                "n_synthesised": int((asked & (truth == 1)).sum()),
                "taken_for_synthesised": int((asked & (truth == 1) & said).sum()),
                "n_recorded": int((asked & (truth == 0)).sum()),
                "recorded_taken_for_synthesised": int((asked & (truth == 0) & said).sum()),
            }
        )
    return rows
