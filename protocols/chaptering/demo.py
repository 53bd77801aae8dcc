"""Demo of chaptering: two recordings of some twenty minutes made of scenes, a reference, and two systems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, cycle, islice
from pathlib import Path

from core.models import User
from listening.demos.soundscape.palette import EDGE_FRAMES, FALL, FRAME_S, KINDS, RISE, Palette, make_palette, scene
from listening.demos.soundscape.sources import SCENE_S
from listening.demos.steps import find_or_make_collection, find_or_make_experiment, import_folder, launch
from rating.models import Experiment
from stimuli.models import Collection, Condition, Stimulus
from stimuli.services.collections import add_text
from stimuli.uploads import files as upload_files

SLUG = "demo-chaptering"
TAKES_LONG = True  # some seconds of synthesis, and then the recordings are prepared by jobs of their own
SEATS = 6
HEARD = "recording"
CONSENT = (
    "You will hear two synthetic recordings, as far as you like, mark where a new chapter begins and give each "
    "chapter a title. Your marks and titles are kept under a number, without your name. You can stop at any time."
)


@dataclass(frozen=True)
class Section:
    """A chapter as it was made: what it is called, what sounds in it, and how long it is in scenes."""

    title: str
    kinds: tuple[str, ...]
    scenes: int


RECORDINGS = {
    "evening": (
        Section("Birds before the rain", ("birds", "wind", "chorus"), 14),
        Section("Rain and thunder", ("rain", "thunder", "rain"), 18),
        Section("The street is wet", ("car", "traffic", "steps"), 16),
        Section("Voices in the yard", ("voices", "steps", "dog"), 12),
        Section("A siren passes", ("siren", "traffic"), 4),
        Section("Night falls", ("crickets", "owl", "crickets"), 16),
    ),
    "building site": (
        Section("Early and quiet", ("rooster", "birds"), 10),
        Section("Hammering", ("hammering", "steps", "hammering"), 20),
        Section("Lunch", ("voices", "dog", "voices"), 14),
        Section("Lorries come and go", ("traffic", "car", "traffic"), 18),
        Section("Everybody has left", ("wind", "crickets"), 12),
    ),
}
# What a system does to the chapters as they were made: seconds by which it errs in turn, and every how many it misses.
SYSTEMS = {"steady": ((0.8, -1.6, 2.4), 0), "careless": ((9.0, -4.0, 1.0, -14.0), 3)}


def build(*, owner: User) -> Experiment:
    """Make what is not there yet, each step in a transaction of its own; nobody waits for the recordings."""
    collection = find_or_make_collection(
        owner=owner, slug=SLUG, title="Two recordings, their chapters, and two systems"
    )
    if not Stimulus.objects.filter(item__collection=collection, recording__isnull=False).exists():
        _fill(collection, owner)
    _tell_chapters(collection)
    experiment = find_or_make_experiment(
        owner=owner,
        slug=SLUG,
        title="Where does a new chapter begin?",
        collection=collection,
        protocol_slug="chaptering",
        label_set="chapters-en-1",
        consent_text=CONSENT,
    )
    # A boundary needs neither one ear nor one level.
    return launch(experiment=experiment, owner=owner, seats={"": SEATS})


def starts_s(sections: Sequence[Section]) -> list[float]:
    """When each section begins; the first at 0, with the rise out of silence that comes before its scenes."""
    ends = accumulate(section.scenes for section in sections[:-1])
    return [0.0, *(round(EDGE_FRAMES * FRAME_S + scenes * SCENE_S, 3) for scenes in ends)]


def _fill(collection: Collection, owner: User) -> None:
    """Bring the sound in the way that an experimenter would: a folder for the one condition that is heard."""
    used = {kind for sections in RECORDINGS.values() for section in sections for kind in section.kinds}
    palette = make_palette({name: kind for name, kind in KINDS.items() if name in used})
    with upload_files.scratch_folder() as folder:
        (folder / HEARD).mkdir()
        for name, sections in RECORDINGS.items():
            _write(folder / HEARD / f"{name}.mp3", sections, palette)
        import_folder(folder=folder, collection=collection, owner=owner)


def _write(path: Path, sections: Sequence[Section], palette: Palette) -> None:
    """Frames of an MP3 one after the other; any of them may follow any other (listening/demos/soundscape/palette)."""
    path.write_bytes(b"".join(palette[piece] for piece in (RISE, *_pieces(sections), FALL)))


def _pieces(sections: Sequence[Section]) -> Iterator[str]:
    for section in sections:
        for number, kind in enumerate(islice(cycle(section.kinds), section.scenes)):
            yield scene(kind, number // len(section.kinds) % KINDS[kind].variants)


def _tell_chapters(collection: Collection) -> None:
    """Put the chapters as they were made beside the sound, and what each system says."""
    texts = Stimulus.objects.filter(item__collection=collection, recording=None)
    told = set(texts.values_list("item__name", "condition__name"))
    for item, sections in RECORDINGS.items():
        true = list(zip(starts_s(sections), (section.title for section in sections), strict=True))
        answers = {"reference": true, **{name: _guess(true, *errs) for name, errs in SYSTEMS.items()}}
        for name, chapters in answers.items():
            if (item, name) not in told:
                role = Condition.Role.REFERENCE if name == "reference" else Condition.Role.TEST
                text = {"kind": "chapters", "text": "", "tokens": None, "chapters": [list(each) for each in chapters]}
                add_text(collection=collection, item=item, condition=name, text=text, role=role)


def _guess(true: Sequence[tuple[float, str]], errors_s: Sequence[float], misses: int) -> list[tuple[float, str]]:
    """The chapters as a system has them: the first as it is, the others off the mark, and some left out."""
    found = [
        (round(at_s + error_s, 3), title)
        for number, ((at_s, title), error_s) in enumerate(zip(true[1:], cycle(errors_s), strict=False), start=1)
        if not misses or number % misses
    ]
    return [true[0], *found]
