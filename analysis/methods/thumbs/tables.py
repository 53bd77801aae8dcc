"""All tables about captions."""

from __future__ import annotations

from typing import Any

from analysis.methods.thumbs import means, people
from analysis.methods.thumbs.contrasts import contrasts
from analysis.methods.thumbs.scored import Scored


def analyse(scored: Scored) -> dict[str, Any]:
    return {
        "rows": means.over_clips(scored),
        "over_assessors": means.over_assessors(scored),
        "clips": means.by_clip(scored),
        "contrasts": contrasts(scored),
        "assessors": people.scale_use(scored),
        "agreement": people.agreement(scored) if len(scored) else [],
        "synthesised": people.told_synthesised(scored),
        "counts": {
            "marks": len(scored),
            "assessors": len(scored.assessors),
            "clips": len(scored.clips),
            "sources": len(scored.sources),
        },
    }
