"""What the plane's page sends: crosses, the moves that led there, and what the rater noted on the way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rating.protocols.base import InvalidAnswer, Json
from rating.protocols.shapes import a_list, a_number, a_text, a_whole_number, an_object, one_of, yes_or_no

INPUTS = ("pointer", "keys", "range", "same", "undo", "redo", "paper", "scan", "bot")
PARTS = ("crosses", "moves", "sources", "hours", "probes", "comment", "lines", "listened", "finished")
MOVE = ("slot", "to", "decided", "input", "plane_px", "numbers", "at_ms")  # numbers: whether figures were on the screen
MOST_MOVES = 500  # in one step: a step is sent once the hand rests
MOST_SOURCES, MOST_HOURS, MOST_PROBES = 200, 200, 2000
LONGEST_LINE, LONGEST_COMMENT = 500, 5000
LARGEST_PLANE_PX = 100_000
LONGEST_VISIT_MS = 1e15

Accept = Callable[[Json], float]


@dataclass(frozen=True)
class Cross:
    """A place on the plane; only a decided one is final."""

    tc: float
    sd: float
    decided: bool


@dataclass(frozen=True)
class Workspace:
    """The crosses that were placed, what was written, and whether the recording is closed."""

    crosses: Mapping[str, Cross]
    notes: Mapping[str, Json]
    finished: bool


def read_workspace(payload: Json, tokens: Sequence[str], *, accept: Accept) -> Workspace:
    """Accept a payload as a whole, or raise InvalidAnswer."""
    parts = an_object(payload, "the answer", keys=PARTS, needs=["crosses"])
    placed = an_object(parts["crosses"], "crosses", keys=tokens)
    crosses = {key: _read_cross(key, cross, accept) for key, cross in placed.items()}
    for move in a_list(parts.get("moves", []), "moves", most=MOST_MOVES):
        _check_move(move, tokens, accept)
    for probe in a_list(parts.get("probes", []), "probes", most=MOST_PROBES):
        _check_probe(probe)
    an_object(parts.get("listened", {}), "listened", keys=("full", "plays", "probes"))
    finished = yes_or_no(parts.get("finished", False), "finished")
    if finished and (open_ones := [key for key in tokens if key not in crosses or not crosses[key].decided]):
        raise InvalidAnswer(problem=f"every cross must be placed and decided; still open: {', '.join(open_ones)}.")
    return Workspace(crosses, _read_notes(parts, tokens), finished)


def _read_cross(key: str, cross: Json, accept: Accept) -> Cross:
    places = ("tc", "sd", "decided")
    cross = an_object(cross, f"the cross of {key}", keys=places, needs=places)
    return Cross(accept(cross["tc"]), accept(cross["sd"]), yes_or_no(cross["decided"], "decided"))


def _check_move(move: Json, tokens: Sequence[str], accept: Accept) -> None:
    move = an_object(move, "a move", keys=MOVE, needs=MOVE[:5])
    one_of(move["slot"], "slot of a move", known=tokens)
    one_of(move["input"], "input of a move", known=INPUTS)
    yes_or_no(move["decided"], "decided of a move")
    yes_or_no(move.get("numbers", False), "numbers of a move")
    a_number(move["plane_px"], "plane_px of a move", most=LARGEST_PLANE_PX)
    a_number(move.get("at_ms", 0), "at_ms of a move", most=LONGEST_VISIT_MS)
    to = move["to"]
    if to is not None and (not isinstance(to, list) or len(to) != len(("TC", "SD"))):
        raise InvalidAnswer(problem="to of a move is [TC, SD], or null for the tray.")
    for value in to or ():
        accept(value)


def _check_probe(probe: Json) -> None:
    """A probe that the rater put somewhere else: at a share of the hour's fifth."""
    probe = an_object(probe, "a probe", keys=("hour", "number", "share"), needs=("hour", "number", "share"))
    a_whole_number(probe["hour"], "hour of a probe", most=1000)
    a_whole_number(probe["number"], "number of a probe", least=1, most=10)
    a_number(probe["share"], "share of a probe", most=1)


def _read_notes(parts: Mapping[str, Json], tokens: Sequence[str]) -> dict[str, Json]:
    lines = an_object(parts.get("lines", {}), "lines", keys=tokens)
    hours = [_read_hour(hour) for hour in a_list(parts.get("hours", []), "hours", most=MOST_HOURS)]
    return {
        "sources": _sources(parts.get("sources", [])),
        "hours": hours,
        "comment": a_text(parts.get("comment", ""), "comment", longest=LONGEST_COMMENT),
        "lines": {key: a_text(line, f"the line of {key}", longest=LONGEST_COMMENT) for key, line in lines.items()},
    }


def _read_hour(hour: Json) -> dict[str, Json]:
    hour = an_object(hour, "an hour", keys=("hour", "present", "note"), needs=["hour"])
    return {
        "hour": a_whole_number(hour["hour"], "hour", most=1000),
        "present": _sources(hour.get("present", [])),
        "note": a_text(hour.get("note", ""), "the note of an hour", longest=LONGEST_LINE),
    }


def _sources(value: Json) -> list[str]:
    return [a_text(each, "a source", longest=LONGEST_LINE) for each in a_list(value, "sources", most=MOST_SOURCES)]
