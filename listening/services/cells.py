"""Which cells of an experiment still lack votes: item by condition by scale against what is planned, never a rating."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Count, Q

from rating.models import Ballot, Experiment, Slot
from stimuli.models import Condition

MOST_SHORT = 40


@dataclass(frozen=True)
class Cell:
    panel: int
    item: str
    condition: str
    scale: str
    planned: int
    given: int


def cells_of(experiment: Experiment) -> list[Cell]:
    """Every cell that the seats which count are planned to vote on, in one question to the database."""
    rows = (
        Slot.objects.filter(
            trial__kind="test",
            trial__ballot__experiment=experiment,
            trial__ballot__kind=Ballot.Kind.MAIN,
            trial__ballot__abandoned_at__isnull=True,
        )
        .exclude(stimulus__condition__role=Condition.Role.FULL_LENGTH)  # it is listened to, and not rated
        .order_by()
        .values_list(
            "trial__ballot__seat__panel__number",
            "stimulus__item__name",
            "stimulus__condition__name",
            "trial__ask",
        )
        .annotate(planned=Count("trial"), given=Count("trial", filter=Q(trial__answered=True)))
    )
    counted: dict[tuple[int, str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for panel, item, condition, ask, planned, given in rows:
        for scale in ask:
            counts = counted[panel or 0, item, condition, scale]
            counts[0] += planned
            counts[1] += given
    return [Cell(*key, *counts) for key, counts in counted.items()]


def coverage(cells: list[Cell]) -> list[dict[str, Any]]:
    """Fewest, middling and most votes a cell, for each panel and scale."""
    groups: dict[tuple[int, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.panel, cell.scale].append(cell)
    return [
        {
            "panel": panel,
            "scale": scale,
            "cells": len(own),
            "target": max(cell.planned for cell in own),
            "fewest": min(cell.given for cell in own),
            "median": median(cell.given for cell in own),
            "most": max(cell.given for cell in own),
            "short": sum(cell.given < cell.planned for cell in own),
        }
        for (panel, scale), own in sorted(groups.items())
    ]


def short_cells(cells: list[Cell], *, named: bool) -> dict[str, Any]:
    """The items that lack most, and how many more there are.

    Conditions are named only where the experiment is unblinded: counts that differ would tell which letter is which.
    """
    groups: dict[tuple[int, str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.given < cell.planned:
            groups[cell.panel, cell.item, cell.scale].append(cell)
    rows: list[dict[str, Any]] = [
        {
            "panel": panel,
            "item": item,
            "scale": scale,
            "missing": sum(cell.planned - cell.given for cell in own),
            "fewest": min(cell.given for cell in own),
            "conditions": len(own),
            "names": sorted(cell.condition for cell in own) if named else [],
        }
        for (panel, item, scale), own in groups.items()
    ]
    rows.sort(key=lambda row: (-row["missing"], row["panel"], row["item"], row["scale"]))
    return {"rows": rows[:MOST_SHORT], "more": max(0, len(rows) - MOST_SHORT)}
