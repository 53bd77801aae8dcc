"""Demo of speech summaries: six sentences of news as babbled speech, three simple systems, one person's picks."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from audio.synthesis import clip_bytes, speak
from core.models import User
from listening.demos.steps import find_or_make_collection, find_or_make_experiment, import_folder, launch
from protocols.speech_summaries.protocol import JUDGE, MAKER
from rating.models import Experiment
from stimuli.models import Collection, Stimulus
from stimuli.uploads import files as upload_files

SLUG = "demo-speech-summaries"
TAKES_LONG = True  # the sound is read in a child process, as an experimenter's would be
RATIO, TOLERANCE = 0.4, 0.05
SECONDS_A_WORD = 0.3
SAMPLE_RATE_HZ = 16000
MAKERS, JUDGES = 6, 4
CONSENT = (
    "You will read six sentences of news; each can also be heard, as a synthetic, speech-like sound. Your answers are "
    "kept under a number, without your name. You can stop at any time."
)

# *: the word stays in one person's summary. /: what a recogniser heard instead.
SENTENCES = """
The city *council *decided late last night *to *close *the *old harbour/harper *bridge for heavy traffic after
engineers *found *new *cracks in two of its pillars.

After *three *dry *weeks, *heavy *rain *returned to the northern valleys on Tuesday, *and farmers said that most of
their *wheat/meat *could still *be *saved.

*A *small *museum in the mountains has *shown for the first time *a *map that *a *sailor *drew from memory almost four
hundred *years ago.

*Doctors at the university hospital *warn *that many older *people *drink *too *little *in *summer and advise families
to ring/bring them every day.

*The *night *train to the coast *will *run *again from the first of *May, the railway company said, although *only *on
*weekends and with fewer sleeping cars.

*Researchers have *taught/thought *a *robot *to *sort *apples *by *the *sound they make when it taps them gently, which
tells ripe from rotten fruit.
"""


@dataclass(frozen=True)
class Sentence:
    words: tuple[str, ...]
    recognised: tuple[str, ...]
    kept: tuple[int, ...]  # by a person, positions from 1

    @classmethod
    def marked(cls, text: str) -> "Sentence":
        pairs = [word.removeprefix("*").split("/") for word in text.split()]
        kept = tuple(place for place, word in enumerate(text.split(), start=1) if word.startswith("*"))
        return cls(tuple(pair[0] for pair in pairs), tuple(pair[-1] for pair in pairs), kept)

    @property
    def size(self) -> int:
        return round(RATIO * len(self.words))


def build(*, owner: User) -> Experiment:
    """Make what is not there yet, each step in a transaction of its own, so that nobody's vote waits for it."""
    collection = find_or_make_collection(
        owner=owner, slug=SLUG, title="Six sentences of news, and four ways to shorten them"
    )
    if not Stimulus.objects.filter(item__collection=collection).exists():
        _fill(collection, owner)
    experiment = find_or_make_experiment(
        owner=owner,
        slug=SLUG,
        title="The news in fewer words",
        collection=collection,
        protocol_slug="speech_summaries",
        label_set="summaries-en-1",
        consent_text=CONSENT,
        options={"ratio": RATIO, "tolerance": TOLERANCE},
    )
    # Nothing is judged by ear here.
    return launch(experiment=experiment, owner=owner, seats={MAKER: MAKERS, JUDGE: JUDGES})


def utterances() -> Iterator[dict[str, Any]]:
    """The material as an experimenter would hand it in: one object a line."""
    for number, text in enumerate(SENTENCES.strip().split("\n\n"), start=1):
        sentence = Sentence.marked(text)
        yield {
            "item": f"news-{number}",
            "tokens": sentence.words,
            "asr": sentence.recognised,
            "positions_a-person": sentence.kept,
            "positions_first-words": _as_heard(sentence, range(1, sentence.size + 1)),
            "positions_long-words": _as_heard(sentence, _longest(sentence)),
            "positions_any-words": sorted(Random(number).sample(range(1, len(sentence.words) + 1), sentence.size)),
        }


def _longest(sentence: Sentence) -> list[int]:
    """Long words tend to carry the news."""
    places = sorted(range(1, len(sentence.words) + 1), key=lambda place: -len(sentence.words[place - 1]))
    return sorted(places[: sentence.size])


def _as_heard(sentence: Sentence, places: Iterable[int]) -> list[int | str]:
    """What a system picks from a recogniser's words: one that was misheard is in no transcript."""
    pairs = list(zip(sentence.words, sentence.recognised, strict=True))
    return [place if len(set(pairs[place - 1])) == 1 else f"?{pairs[place - 1][1]}" for place in places]


def _fill(collection: Collection, owner: User) -> None:
    """Bring everything in the way that an experimenter would: sounds, and a table that is one JSON object a line."""
    with upload_files.scratch_folder() as folder:
        records = list(utterances())
        for seed, record in enumerate(records, start=1):
            _write_sound(folder / f"{record['item']}.wav", seed, SECONDS_A_WORD * len(record["tokens"]))
        (folder / "utterances.jsonl").write_text("\n".join(json.dumps(record) for record in records))
        import_folder(folder=folder, collection=collection, owner=owner)


def _write_sound(path: Path, seed: int, duration_s: float) -> None:
    path.write_bytes(clip_bytes(speak(seed, duration_s, SAMPLE_RATE_HZ), SAMPLE_RATE_HZ))
