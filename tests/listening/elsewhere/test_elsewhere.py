"""Tests from webMUSHRA and the P.808 toolkit: what becomes an experiment, and every line that does not."""

import io
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from core.errors import AppError
from listening.elsewhere import p808
from listening.elsewhere.base import Converted
from listening.elsewhere.pattern_groups import groups_in
from listening.panels.services import elsewhere
from listening.panels.services.panels import create_panel
from listening.panels.services.session_settings import session_settings_of
from rating.models import Experiment
from stimuli.models import Collection, Import, Stimulus
from stimuli.services import imports
from tests.factories import make_user, tone
from tests.listening.elsewhere.configs import EVERY_KIND, MUSHRA_ONLY, OPINIONS, PAIRS_ONLY
from tests.people import browser_of
from tests.stimuli.import_material import confirmed, run
from tests.stimuli.recordings import fresh_storage

pytestmark = pytest.mark.django_db
NAMES = [f"{kind}_{what}" for kind in ("speech", "music") for what in ("ref", "c1", "c2")]
SOUNDS = {f"sounds/{name}.wav": tone(300 + 20 * number, 0.5) for number, name in enumerate(NAMES)}


@pytest.fixture(autouse=True)
def _own_store(settings: Settings, tmp_path: Path) -> None:
    fresh_storage(settings, tmp_path)
    settings.UPLOADS_DIR = tmp_path / "uploads"


def packed(files: dict[str, bytes | str]) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    buffer.seek(0)
    return buffer


def read(files: dict[str, bytes | str], **how: Any) -> Converted:
    return elsewhere.read_elsewhere(elsewhere.material_from(packed(files), name="test.zip"), **how)


def cells(experiment: Experiment) -> list[tuple[str, str, str]]:
    rows = Stimulus.objects.filter(item__collection=experiment.collection)
    return sorted(rows.values_list("item__name", "condition__name", "condition__role"))


def test_pages_of_every_kind_are_carried_over_or_listed_with_the_reason() -> None:
    found = read({"configs/default.yaml": EVERY_KIND, **SOUNDS})
    assert (found.title, found.language, found.session) == ("Every kind of page", "de", {"level_check": True})
    assert found.texts == {
        "instructions": "Thank you for **coming**.\n\nPlease use headphones.",
        "debrief": "Thank you!",
    }
    [part] = found.parts
    assert part.protocol.slug == "abx"
    assert part.options == {"practice": 0, "repetitions": 1, "loop": False}
    assert [(one.sound.path, one.item, one.condition, one.role) for one in part.placed] == [
        ("sounds/speech_ref.wav", "pair", "reference", "reference"),
        ("sounds/speech_c1.wav", "pair", "C1", "test"),
        ("sounds/speech_c2.wav", "pair", "C2", "test"),
        ("sounds/music_ref.wav", "pair-2", "reference", "reference"),
        ("sounds/music_c1.wav", "pair-2", "C1", "test"),
    ]
    assert [str(line) for line in found.dropped] == [
        "bufferSize: sound is played without a buffer to set",
        "stopOnErrors: files are checked when they are imported",
        "showButtonPreviousPage: the previous answer can be changed, earlier ones cannot",
        "remoteService: answers are kept on this server",
        "pages[2] (volume, vol): `stimulus`: Earmark has nothing like it",
        "pages[2] (volume, vol): `defaultVolume`: listeners set the level themselves",
        "pages[3][1] (paired_comparison, pair): `showWaveform`: this protocol shows no waveform",
        "pages[3][2] (paired_comparison, pair): `unforced`: there is no third answer; the choice is forced",
        "pages[4] (bs1116, triple): Earmark has no protocol for pages of this type",
        "pages[5] (mushra, many): Earmark has no protocol for pages of this type",
        "pages[6] (generic, later): instructions are shown once, before the first page",
        "pages[7] (finish, Thank you): the question 'Side': there are 2 to 30 options.",
        "pages[7] (finish, Thank you): the question 'Draw it': Earmark has nothing like it",
        "pages[7] (finish, Thank you): `popupContent`: there is no second text after the end",
        "pages[7] (finish, Thank you): `showResults`: participants do not see their answers as results",
    ]
    told = [(one["key"], one["place"], one["kind"], one["text"], one["required"]) for one in found.questions]
    assert told == [
        ("experience", "before", "one", "How often do you listen?", True),
        ("email", "after", "short_text", "eMail", False),
        ("age", "after", "number", "Age", True),
        ("tired", "after", "scale", "How tired are you?", True),
        ("remarks", "after", "long_text", "Remarks", True),
    ]
    assert found.questions[0]["options"] == ["Never", "Often"]
    assert (found.questions[2]["low"], found.questions[2]["high"]) == (0, 100)
    assert (found.questions[3]["low_label"], found.questions[3]["high"]) == ("fresh", 6)
    assert [str(line) for line in found.changed] == [
        "pages[2] (volume, vol): the level is set in Earmark's own sound check",
        *(
            f"pages[3][{number}] (paired_comparison, pair): X is the reference or the other sound, not always the "
            "reference"
            for number in (1, 2)
        ),
    ]


def test_a_scale_is_carried_over_where_its_words_are_those_of_a_protocol() -> None:
    found = read({"opinions.yaml": OPINIONS, **SOUNDS})
    [part] = found.parts
    assert (part.protocol.slug, part.label_set, found.session) == ("acr", "acr-en-1", {"level_check": False})
    assert [(one.item, one.condition) for one in part.placed] == [("sentence1", "A"), ("sentence1", "B")]
    assert found.texts["instructions"] == "Listen and rate.\n\n- First listen\n- Then rate"
    assert [str(line) for line in found.dropped] == [
        "remoteService: answers are kept on this server",
        "pages[2][2] (likert_single_stimulus, stars): Earmark has no scale with the words Not at all, Very much",
        "pages[2][3] (likert_multi_stimulus, together): Earmark has no protocol for pages of this type",
    ]


def test_a_test_of_which_nothing_can_be_carried_over_is_refused_with_all_reasons() -> None:
    with pytest.raises(AppError, match=r"Nothing of this test can be carried over\. Reasons: 1\."):
        read({"mushra.yaml": MUSHRA_ONLY, **SOUNDS})
    with pytest.raises(AppError, match="Reasons: 5") as caught:
        read({"opinions.yaml": OPINIONS})
    assert (
        "pages[2][1] (likert_single_stimulus, sentence1): the sound 'sounds/speech_c1.wav' is not there, or there are "
        "several of that name"
    ) in caught.value.data["rows"]
    with pytest.raises(AppError, match="There is neither a configuration of webMUSHRA"):
        read({"readme.csv": "a,b\n1,2\n", **SOUNDS})
    with pytest.raises(AppError, match="it has no list `pages`"):
        read({"other.yaml": "title: x\n"})
    with pytest.raises(AppError, match="several configurations"):
        read({"a.yaml": OPINIONS, "b.yaml": EVERY_KIND, **SOUNDS})
    with pytest.raises(AppError, match="'x' cannot be unpacked: there is something after its end"):
        elsewhere.material_from(io.BytesIO(packed(dict(SOUNDS)).getvalue()[:-30] + b"PK\5\6" + b"\xff" * 18), name="x")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sounds/silence.wav", bytes(2 * 2**20))
    with pytest.raises(AppError, match="unpacks to more than 100 times its size"):
        elsewhere.material_from(bomb, name="x")


def test_the_command_creates_drafts_whose_seats_can_be_made(tmp_path: Path) -> None:
    owner = make_user(name="erin")
    place, said = tmp_path / "test.zip", io.StringIO()
    place.write_bytes(packed({"default.yaml": EVERY_KIND, **SOUNDS}).getvalue())
    call_command("import_experiment", str(place), "--owner", "erin", "--dry-run", stdout=said)
    assert "Would create a draft of ABX discrimination with 5 sounds." in said.getvalue()
    assert not Experiment.objects.exists()
    call_command("import_experiment", str(place), "--owner", "erin", stdout=said)
    made = Experiment.objects.get()
    assert f"Created the draft '{made.slug}'" in said.getvalue()
    assert "not carried over  pages[5] (mushra, many)" in said.getvalue()
    assert cells(made) == [
        *(("pair", "C1", "test"), ("pair", "C2", "test"), ("pair", "reference", "reference")),
        *(("pair-2", "C1", "test"), ("pair-2", "reference", "reference")),
    ]
    assert made.language == "de"
    assert session_settings_of(made).level_check
    assert create_panel(experiment=made, seats=1, actor=owner).seats.get().ballot.trials.count() == 3
    page = browser_of(owner).get(f"/experiments/{made.slug}/").content.decode()
    assert "15 things were not carried over" in page
    assert [one["key"] for one in made.questions] == ["experience", "email", "age", "tired", "remarks"]
    assert "Earmark has no protocol for pages of this type" in page

    place.write_bytes(packed({"default.yaml": EVERY_KIND, **dict.fromkeys(SOUNDS, b"no sound")}).getvalue())
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command("import_experiment", str(place), "--owner", "erin", stdout=said)
    assert (Experiment.objects.count(), Collection.objects.count()) == (1, 1)


THREE = {"every_kind.zip": EVERY_KIND, "opinions.zip": OPINIONS, "pairs.zip": PAIRS_ONLY}


# The command is tested above.
@pytest.mark.parametrize("by", ["page", pytest.param("command", marks=pytest.mark.long)])
def test_three_configurations_become_drafts_with_their_sounds(tmp_path: Path, by: str) -> None:
    owner = make_user(name="erin")
    for name, config in THREE.items():
        content = packed({"config.yaml": config, **SOUNDS}).getvalue()
        if by == "command":
            (tmp_path / name).write_bytes(content)
            call_command("import_experiment", str(tmp_path / name), "--owner", "erin", stdout=io.StringIO())
        else:
            answer = browser_of(owner).post("/new-experiment/elsewhere/", {"file": SimpleUploadedFile(name, content)})
            assert answer.status_code == 302, answer.content.decode()
            run(imports.check_import.name)
            confirmed(Import.objects.get(state=Import.State.PROPOSED))
    made = Experiment.objects.order_by("created_at")
    assert [(one.title, one.protocol, len(cells(one)), one.state) for one in made] == [
        ("Every kind of page", "abx", 5, "draft"),
        ("How good is it?", "acr", 2, "draft"),
        ("Which one is it?", "abx", 6, "draft"),
    ]
    for one in made:
        assert create_panel(experiment=one, seats=1, actor=owner).seats.get().ballot.trials.exists()


def test_the_page_takes_a_zip_and_then_the_sounds_of_a_collection() -> None:
    owner = make_user()
    client, page = browser_of(owner), "/new-experiment/elsewhere/"
    assert page in client.get("/new-experiment/").content.decode()
    zipped = SimpleUploadedFile("opinions.zip", packed({"opinions.yaml": OPINIONS, **SOUNDS}).getvalue())
    answer = client.post(page, {"file": zipped})
    made = Experiment.objects.get()
    assert answer.headers["Location"] == f"/experiments/{made.slug}/"
    assert client.get(answer.headers["Location"]).status_code == 200
    run(imports.check_import.name)
    waiting = Import.objects.get()
    assert waiting.state == Import.State.PROPOSED, waiting.report
    confirmed(waiting)
    assert cells(made) == [("sentence1", "A", "test"), ("sentence1", "B", "test")]

    config = SimpleUploadedFile("opinions.yaml", OPINIONS.encode())
    answer = client.post(page, {"file": config, "collection": made.collection.slug})
    assert answer.status_code == 302, answer.content.decode()
    run(imports.check_import.name)
    again = Experiment.objects.exclude(pk=made.pk).get()
    confirmed(again.collection.imports.get())
    assert cells(again) == cells(made)
    sounds = [
        sorted(Stimulus.objects.filter(item__collection=one.collection).values_list("recording__sha256", flat=True))
        for one in (made, again)
    ]
    assert sounds[0] == sounds[1]

    refused = client.post(page, {"file": SimpleUploadedFile("mushra.yaml", MUSHRA_ONLY.encode())})
    assert refused.status_code == 422
    assert "Nothing of this test can be carried over" in refused.content.decode()
    assert "(mushra, trial1): Earmark has no protocol" in refused.content.decode()
    assert Experiment.objects.count() == 2

    broken = bytearray(packed({"opinions.yaml": OPINIONS, **SOUNDS}).getvalue())
    broken[broken.index(SOUNDS["sounds/speech_c2.wav"]) + 1000] ^= 255
    refused = client.post(page, {"file": SimpleUploadedFile("broken.zip", bytes(broken))})
    assert refused.status_code == 422
    assert "cannot be unpacked: &#x27;sounds/speech_c2.wav&#x27; is damaged" in refused.content.decode()
    assert (Experiment.objects.count(), Collection.objects.count()) == (2, 2)


# --- P.808 ------------------------------------------------------------------------------------------------------------

SERVER = "https://clips.example.org/study/"
CLIPS: dict[str, bytes | str] = {
    f"clips/{folder}/{name}.wav": SOUNDS[f"sounds/{name}_{folder}.wav"]
    for folder in ("ref", "c1", "c2")
    for name in ("speech", "music")
}
SINGLE = "rating_clips\n" + "".join(f"{SERVER}{c}/{n}.wav\n" for c in ("c1", "c2") for n in ("speech", "music"))
PAIRS = "rating_clips,references\n" + "".join(
    f"{SERVER}{c}/{n}.wav,{SERVER}ref/{n}.wav\n" for c in ("c1", "c2") for n in ("speech", "music")
)
BESIDE: dict[str, bytes | str] = {
    **{f"clips/{name}.wav": tone(600 + 30 * n, 0.5) for n, name in enumerate(("gold/a", "gold/b", "trap/a", "trap/b"))},
    "training_clips.csv": f"training_clips\n{SERVER}c1/speech.wav\n",
    "gold_clips.csv": f"gold_clips,gold_clips_ans\n{SERVER}gold/a.wav,5\n{SERVER}gold/b.wav,1\n",
    "trapping_clips.csv": "trapping_clips,trapping_ans\n"
    + "".join(f"{SERVER}trap/{name}.wav,{answer}\n" for name, answer in (("a", 3), ("b", 9), ("gone", 2))),
    "general.csv": f"math,pair_a,pair_b,hearing_test_url\n{SERVER}m1.wav,{SERVER}a.wav,{SERVER}b.wav,\n",
    "master.cfg": "[create_input]\nnumber_of_clips_per_session:10\ncondition_pattern: .*/(c\\d)/.*\n",
}


ALL_HEARD = "every listener hears all 2 of them, and only the answer in the table passes; "
WIDEN = "the page Attention checks can widen it"
MISSING = "is not there, or there are several of that name"
TRAINING = "practice trials are drawn from the rated clips; import these clips to rate them"


def test_rated_gold_and_trapping_clips_become_an_experiment_and_the_rest_is_listed() -> None:
    found = read({"rating_clips.csv": SINGLE, **BESIDE, **CLIPS})
    [part] = found.parts
    assert (found.title, part.protocol.slug) == ("test", "acr")
    assert [(one.item, one.condition) for one in part.placed] == [
        *(("speech", "c1"), ("music", "c1"), ("speech", "c2"), ("music", "c2")),
        *(("a", "trap"), ("a-2", "gold"), ("b", "gold")),
    ]
    assert [one.role for one in part.placed[4:]] == ["trap", "gold", "gold"]
    assert part.expected == {("a", "trap"): "3", ("a-2", "gold"): "5"}
    assert [str(line) for line in found.changed] == [
        "gold_clips.csv, line 3 (b, 1): not used: every listener hears all checks, which are too many then",
        f"trapping_clips, gold_clips: {ALL_HEARD}{WIDEN}",
    ]
    assert [str(line) for line in found.dropped] == [
        "master.cfg, line 2 (number_of_clips_per_session): Earmark has nothing like it",
        "trapping_clips.csv, line 3: it has no expected answer that the scales of this protocol have",
        f"trapping_clips.csv, line 4: the sound '{SERVER}trap/gone.wav' {MISSING}",
        f"training_clips.csv, line 2 (speech.wav): {TRAINING}",
        "general.csv, line 2 (m1.wav): Earmark asks no sums as a qualification",
        "general.csv, line 2 (a.wav): Earmark has no test of just noticeable differences as a qualification",
    ]
    scales = f"gold_clips,gold_sig_ans,gold_bak_ans\n{SERVER}gold/a.wav,5,1\n"
    chosen = read({"rating_clips.csv": SINGLE, **BESIDE, "gold_clips.csv": scales, **CLIPS}, protocol="p835")
    assert (chosen.parts[0].protocol.slug, chosen.parts[0].expected["a-2", "gold"]) == ("p835", "SIG 5, BAK 1")


def test_gold_and_trapping_clips_are_heard_in_the_seats_of_the_draft(tmp_path: Path) -> None:
    owner = make_user(name="erin")
    place = tmp_path / "study.zip"
    place.write_bytes(packed({"rating_clips.csv": SINGLE, **BESIDE, **CLIPS}).getvalue())
    call_command("import_experiment", str(place), "--owner", "erin", stdout=io.StringIO())
    made = Experiment.objects.get()
    assert made.checks == {
        "clips": [["a", "trap", {"QUALITY": [3.0, 3.0]}], ["a-2", "gold", {"QUALITY": [5.0, 5.0]}]],
        "repeats": 0,
    }
    trials = create_panel(experiment=made, seats=1, actor=owner).seats.get().ballot.trials
    assert sorted(trials.exclude(kind="practice").values_list("kind", flat=True)) == ["gold", *["test"] * 4, "trap"]


def test_a_pattern_of_conditions_is_followed_unless_it_takes_too_long() -> None:
    flat: dict[str, bytes | str] = {
        f"clips/{n}_{c}.wav": SOUNDS[f"sounds/{n}_{c}.wav"] for n in ("speech",) for c in ("c1", "c2")
    }
    table = "rating_clips\nspeech_c1.wav\nspeech_c2.wav\n"
    config = "condition_pattern: .*_(?P<condition>c\\d)\\.wav\n"
    found = read({"rating_clips.csv": table, "acr.cfg": config, **flat})
    assert [(one.item, one.condition) for one in found.parts[0].placed] == [("speech", "c1"), ("speech", "c2")]
    plain = read({"rating_clips.csv": table, **flat})
    assert {one.condition for one in plain.parts[0].placed} == {"original"}
    with pytest.raises(AppError, match="condition_pattern is no regular expression"):
        read({"rating_clips.csv": table, "acr.cfg": "condition_pattern: (c\n", **flat})
    with pytest.raises(TimeoutError):
        groups_in(["a" * 60 + "b"], "(a+)+$", longest_s=0.2)


def test_a_pattern_that_never_ends_is_listed_and_folders_are_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(p808, "groups_in", partial(groups_in, longest_s=0.2))
    endless = "condition_pattern: ^([a-z0-9:/.]+)+!$\n"
    found = read({"rating_clips.csv": SINGLE, "acr.cfg": endless, **CLIPS})
    assert {one.condition for one in found.parts[0].placed} == {"c1", "c2"}
    assert str(found.dropped[0]).endswith("matching it takes too long; conditions are folders here")


def test_pairs_become_clips_with_their_reference(tmp_path: Path) -> None:
    make_user(name="erin")
    for path, content in {"rating_clips.csv": PAIRS.encode(), **CLIPS}.items():
        place = tmp_path / "study" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    call_command("import_experiment", str(tmp_path / "study"), "--owner", "erin", stdout=io.StringIO())
    made = Experiment.objects.get()
    assert made.protocol == "dcr"
    assert cells(made) == [
        (item, condition, role)
        for item in ("music", "speech")
        for condition, role in (("c1", "test"), ("c2", "test"), ("reference", "reference"))
    ]
    with pytest.raises(AppError, match=r"does not fit this protocol\. Choose one of: Degradation"):
        read({"rating_clips.csv": PAIRS, **CLIPS}, protocol="acr")
