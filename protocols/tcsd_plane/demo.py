"""Demo of the TC/SD plane: a day in a small town with eight summaries, and a morning with seven as the example."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from core.models import User
from listening.demos.soundscape.palette import Palette, make_palette
from listening.demos.steps import find_or_make_collection, find_or_make_experiment, import_folder, launch
from protocols.tcsd_plane.soundscape.example import EXAMPLE, seven_summaries
from protocols.tcsd_plane.soundscape.joining import write_recording
from protocols.tcsd_plane.soundscape.programmes import DAY, MORNING, Programme
from protocols.tcsd_plane.soundscape.summaries import Summary, cue_sheet, eight_summaries, write_summaries
from rating.models import Experiment
from stimuli.models import Collection, Stimulus
from stimuli.uploads import files as upload_files

SLUG = "demo-plane"
TAKES_LONG = True  # some twenty seconds, and then the recordings are prepared by jobs of their own
SEATS = 4
CONSENT = (
    "You will get to know a synthetic day of sound and hear eight one-minute summaries of it. For each one you say how "
    "far it follows the day and how much of the day's variety it holds, by putting a cross on a plane. Your answers "
    "and every move of a cross are kept under a number, without your name. You can stop at any time."
)


def build(*, owner: User) -> Experiment:
    """Make what is not there yet, each step in a transaction of its own, so that nobody's vote waits for it.

    Nobody waits for the recordings to be prepared: an MP3 is heard from its own frames, and the pictures fill in.
    """
    collection = find_or_make_collection(
        owner=owner, slug=SLUG, title="A day in a small town, and eight summaries of it"
    )
    if not Stimulus.objects.filter(item__collection=collection).exists():
        _fill(collection, owner)
    experiment = find_or_make_experiment(
        owner=owner,
        slug=SLUG,
        title="A day in a minute: the TC/SD plane",
        collection=collection,
        protocol_slug="tcsd_plane",
        label_set="plane-en-1",
        consent_text=CONSENT,
        options={"example": {"item": MORNING.name, "crosses": list(EXAMPLE)}},
    )
    # Neither criterion asks for one ear or one level, and the first excerpt should be heard at once.
    return launch(experiment=experiment, owner=owner, seats={"": SEATS})


def _fill(collection: Collection, owner: User) -> None:
    """Bring the sound in the way that an experimenter would: a folder for each recording, and three tables."""
    with upload_files.scratch_folder() as folder:
        palette = make_palette()
        summaries = [(DAY, eight_summaries(DAY)), (MORNING, seven_summaries())]
        for programme, made in summaries:
            _write_sounds(folder / programme.name, programme, made, palette)
        sheets = [(day.name, name, cue_sheet(one)) for day, made in summaries for name, one in made.items()]
        _write_table(folder / "cues.csv", ("item", "condition", "cues"), sheets)
        starts = [(day.name, f"{day.first_hour:02d}:00") for day in (DAY, MORNING)]
        _write_table(folder / "recordings.csv", ("item", "starts_at"), starts)
        families = [(f"{family} z={z}", family, z) for family in ("greedy", "reference") for z in ("0", "0.5", "1")]
        _write_table(folder / "conditions.csv", ("condition", "method", "z"), families)
        import_folder(folder=folder, collection=collection, owner=owner)


def _write_sounds(folder: Path, programme: Programme, summaries: Mapping[str, Summary], palette: Palette) -> None:
    """Write a recording and its summaries; each file is called after the recording and the condition."""
    item = programme.name
    recording, parts = folder / f"{item}_full-length.mp3", folder / f"{item}_summaries"
    parts.mkdir(parents=True)
    write_recording(programme, palette, recording)
    write_summaries(recording, {parts / f"{item}_{name}.mp3": summary for name, summary in summaries.items()})


def _write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
