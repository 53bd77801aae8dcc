"""What is drawn on the plane: of all recordings or of one, its marks, means and ellipses, and the arrows along z."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from django.utils.translation import gettext as _

from analysis.methods.plane.errors import TooFewRaters

Row = Mapping[str, Any]
Place = tuple[float, float]  # TC, SD

# What may be asked for; the spread is shown unless something else is.
ELLIPSES = ("spread", "mean", "both", "none")


@dataclass(frozen=True)
class Ellipse:
    """Half axes as shares of the maximum, and the angle of the longer one from the TC axis, counter-clockwise."""

    centre: Place
    major: float
    minor: float
    angle_deg: float

    @classmethod
    def of(cls, row: Row | None) -> "Ellipse | None":
        return cls((row["tc"], row["sd"]), row["major"], row["minor"], row["angle_deg"]) if row else None


@dataclass(frozen=True)
class Drawn:
    """A condition on the plane; its number gives it a shape and a hue, the same in every picture of a result."""

    number: int
    name: str
    marks: list[Place]
    mean: Place
    spread: Ellipse | None
    mean_region: Ellipse | None


@dataclass(frozen=True)
class Scene:
    """One picture; `recording` is empty where it is of all of them."""

    recording: str
    conditions: list[Drawn]
    families: dict[str, list[tuple[Place, Place]]]  # an arrow from each mean to that of the next z
    n_raters: int
    n_recordings: int
    refusal: str  # why there is no 95 % ellipse of a mean

    @property
    def n_marks(self) -> int:
        return sum(len(drawn.marks) for drawn in self.conditions)


def recordings_of(table: Mapping[str, Any]) -> list[str]:
    return sorted({row["recording"] for row in table.get("recordings", [])})


def scene_of(table: Mapping[str, Any], *, recording: str = "", ellipse: str = ELLIPSES[0]) -> Scene:
    """Gather a picture out of the tables of a result as a reader may see them."""
    numbers = {row["condition"]: number for number, row in enumerate(table.get("rows", []))}
    points = [row for row in table.get("points", []) if recording in ("", row["recording"])]
    means, clouds = _means_and_clouds(table, recording)
    spread, region = ellipse in ("spread", "both"), ellipse in ("mean", "both")
    conditions = [
        Drawn(
            number=numbers[name],
            name=name,
            marks=[(row["tc"], row["sd"]) for row in points if row["condition"] == name],
            mean=(row["tc_mean"], row["sd_mean"]),
            spread=Ellipse.of(clouds[name]["spread"]) if spread else None,
            mean_region=Ellipse.of(row["mean_95"]) if region else None,
        )
        for name, row in means.items()
    ]
    return Scene(
        recording=recording,
        conditions=conditions,
        families=dict(_arrows(table.get("curves", []), {drawn.name: drawn.mean for drawn in conditions})),
        n_raters=len({row["rater"] for row in points}),
        n_recordings=len({row["recording"] for row in points}),
        refusal=_refusal(means.values()) if region else "",
    )


def _means_and_clouds(table: Mapping[str, Any], recording: str) -> tuple[dict[str, Row], dict[str, Row]]:
    """By condition the row of its mean, over raters, and that of the cloud of marks that is seen.

    In one recording the two are the same, as each rater has one mark there.
    """
    if recording:
        rows = {row["condition"]: row for row in table.get("recordings", []) if row["recording"] == recording}
        return rows, rows
    by_name = ({row["condition"]: row for row in table.get(part, [])} for part in ("rows", "conditions_marks"))
    means, clouds = by_name
    return means, clouds


def _arrows(curves: list[Row], means: Mapping[str, Place]) -> Iterator[tuple[str, list[tuple[Place, Place]]]]:
    """Yield each family with its steps from one z to the next; where two conditions share a z, from the first."""
    for family, rows in groupby(curves, key=lambda row: str(row["family"])):
        by_z = {row["z"]: means[row["condition"]] for row in reversed(list(rows)) if row["condition"] in means}
        if steps := list(pairwise(by_z[z] for z in sorted(by_z))):
            yield family, steps


def _refusal(rows: Any) -> str:
    refused = [row["mean_95_refused"]["data"] for row in rows if row["mean_95_refused"]]
    if not refused:
        return ""
    fewest = min(refused, key=lambda data: data["raters"])
    return TooFewRaters(**fewest).say(_(TooFewRaters.sentence))
