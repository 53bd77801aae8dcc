"""Uploads: checked, proposed, confirmed and imported by jobs that may run twice and lose nothing."""

import hashlib
import io
import zipfile
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from audio.quality_checks import Severity
from core.jobs import JobRun, declared_jobs, queue
from core.models import Job
from stimuli import spool
from stimuli.announcements import Announced
from stimuli.models import Collection, Intake, Recording, Stimulus
from stimuli.services import imports, intakes
from tests.factories import make_user
from tests.stimuli.folders import noise, wav
from tests.stimuli.intake_material import send

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def collection() -> Collection:
    return Collection.objects.create(slug="sounds", title="Sounds", owner=make_user())


def uploaded(collection: Collection, files: dict[str, bytes]) -> Intake:
    announced = [Announced(path, len(sound)) for path, sound in files.items()]
    intake = intakes.begin_intake(collection=collection, owner=collection.owner, files=announced, now=timezone.now())
    for file in intake.files.all():
        send(file, files[file.path])
    digests = {path: hashlib.sha256(sound).hexdigest() for path, sound in files.items()}
    return intakes.seal_intake(intake=intake, digests=digests, actor=collection.owner, now=timezone.now())


def run(name: str) -> None:
    """Do the job that waits under that name, as a worker would."""
    job = queue.claim(worker="test", names=[name])
    assert job is not None
    declared_jobs()[name](run=JobRun(job), **job.arguments)


def confirmed(intake: Intake, *, replace: bool = False) -> Intake:
    intakes.confirm_intake(intake=intake, actor=intake.owner, replace=replace)
    run("stimuli.import_intake")
    intake.refresh_from_db()
    return intake


def test_an_upload_is_checked_proposed_confirmed_and_imported(collection: Collection) -> None:
    intake = uploaded(collection, {f"C{n}/a.wav": wav(noise(0.5, seed=n)) for n in range(2)})
    run("stimuli.check_intake")
    intake.refresh_from_db()
    assert (intake.state, intake.layout) == ("proposed", "conditions")
    assert [cell["path"] for cell in intake.plan["stimuli"]] == ["C0/a.wav", "C1/a.wav"]
    assert all(file.sha256 for file in intake.files.all())
    assert not Stimulus.objects.exists()
    assert confirmed(intake).state == "done"
    assert Stimulus.objects.count() == 2
    assert not spool.folder_of(intake.pk).exists()


def test_a_zip_is_unpacked_and_what_it_holds_is_imported(tmp_path: Path, collection: Collection) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for n in range(2):
            archive.writestr(f"set/C{n}/é.wav", wav(noise(0.5, seed=n)))
        archive.writestr("__MACOSX/set/._x", b"litter")
    intake = uploaded(collection, {"all.zip": (tmp_path / "all.zip").read_bytes()})
    run("stimuli.check_intake")
    intake.refresh_from_db()
    assert intake.state == "proposed"
    assert confirmed(intake).version == 1
    assert {row.condition.name for row in Stimulus.objects.filter(item__name="é")} == {"C0", "C1"}


def test_a_zip_may_not_unpack_to_more_than_is_left_of_the_quota(collection: Collection, settings: Settings) -> None:
    silence = wav(np.zeros(250_000))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(2):
            archive.writestr(f"C{n}/a.wav", silence)
    stored = {f"C{n}/b.wav": wav(noise(0.5, seed=n)) for n in range(2)}
    earlier = uploaded(collection, stored)
    run("stimuli.check_intake")
    confirmed(earlier)
    needed = sum(map(len, stored.values())) + 2 * len(silence)
    told = []
    for missing_bytes, state in ((0, "proposed"), (1, "refused"), (400_000, "refused")):
        settings.UPLOAD_QUOTA_GB = (needed - missing_bytes + 0.5) / 1e9
        intake = uploaded(collection, {"all.zip": packed.getvalue()})
        run("stimuli.check_intake")
        intake.refresh_from_db()
        assert intake.state == state
        told += [one["sentence"] for one in intake.report["findings"] if "all.zip" in one["sentence"]]
        intakes.expire_intakes(now=timezone.now() + timedelta(days=30))
    assert len(told) == 2
    assert "unpacks to 0.001 GB, and there is room for 0.0006 GB" in told[1]


def test_an_upload_with_broken_files_is_refused_with_all_reasons(collection: Collection) -> None:
    files = {"C0/a.wav": wav(noise(0.5)), "C1/a.wav": b"nothing", "C2/a.wav": b"", "bomb.zip": b"PK\x03\x04 no"}
    intake = uploaded(collection, files)
    run("stimuli.check_intake")
    intake.refresh_from_db()
    assert intake.state == "refused"
    errors = [one for one in intake.report["findings"] if one["severity"] == Severity.ERROR]
    assert intake.report["errors"] == len(errors) >= 1
    assert any("bomb.zip" in one["sentence"] for one in errors)
    assert any("C1/a.wav" in one["path"] for one in errors)
    assert any("C2/a.wav" in one["path"] for one in errors)
    assert not spool.folder_of(intake.pk).exists()


def test_bytes_that_are_not_those_that_were_sent_are_refused(collection: Collection) -> None:
    sound = wav(noise(0.5))
    intake = intakes.begin_intake(
        collection=collection, owner=collection.owner, files=[Announced("a.wav", len(sound))], now=timezone.now()
    )
    send(intake.files.get(), sound)
    intakes.seal_intake(intake=intake, digests={"a.wav": "0" * 64}, actor=collection.owner, now=timezone.now())
    run("stimuli.check_intake")
    intake.refresh_from_db()
    assert (intake.state, intake.report["errors"]) == ("refused", 1)
    assert "other bytes than were sent" in intake.report["findings"][0]["sentence"]


def test_cells_that_are_taken_wait_for_a_word_about_replacing(collection: Collection) -> None:
    first = uploaded(collection, {"C0/a.wav": wav(noise(0.5))})
    run("stimuli.check_intake")
    confirmed(Intake.objects.get(pk=first.pk))
    second = uploaded(collection, {"C0/a.wav": wav(noise(0.6, seed=3))})
    run("stimuli.check_intake")
    second.refresh_from_db()
    assert "holds 1 of these stimuli already" in second.report["findings"][0]["sentence"]
    assert confirmed(second).state == "proposed"
    assert confirmed(second, replace=True).state == "done"
    assert Recording.objects.get(stimuli__isnull=False).duration_s == pytest.approx(0.6)


def test_both_jobs_do_nothing_the_second_time(collection: Collection) -> None:
    intake = uploaded(collection, {"C0/a.wav": wav(noise(0.5))})
    job = Job.objects.get(name="stimuli.check_intake")
    run("stimuli.check_intake")
    imports.check_intake(run=JobRun(job), intake_id=str(intake.pk))
    confirmed(Intake.objects.get(pk=intake.pk))
    imports.import_intake(run=JobRun(job), intake_id=str(intake.pk))
    collection.refresh_from_db()
    assert (collection.version, Stimulus.objects.count()) == (1, 1)


def test_an_import_without_its_draft_listens_again(collection: Collection) -> None:
    intake = uploaded(collection, {"C0/a.wav": wav(noise(0.5))})
    run("stimuli.check_intake")
    (spool.folder_of(intake.pk) / imports.DRAFT).unlink()
    assert confirmed(Intake.objects.get(pk=intake.pk)).state == "done"


def test_a_check_clears_away_what_killed_ones_left_and_spares_what_is_at_work(collection: Collection) -> None:
    """A worker that has lost the job and does not know it yet still needs its folder."""
    intake = uploaded(collection, {"C0/a.wav": wav(noise(0.5))})
    killed = spool.folder_of(intake.pk) / f"{spool.WORK}killed"
    with spool.work_folder(intake.pk) as slow:
        for folder in (killed, slow):
            folder.mkdir(exist_ok=True)
            (folder / "half").write_bytes(b"half")
        run("stimuli.check_intake")
        intake.refresh_from_db()
        assert intake.state == "proposed"
        assert not killed.exists()
        assert (slow / "half").read_bytes() == b"half"
    assert confirmed(intake).state == "done"


def test_a_check_whose_outcome_was_never_written_down_is_done_again_in_its_place(
    tmp_path: Path, collection: Collection
) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("set/C0/a.wav", wav(noise(0.5)))
    intake = uploaded(collection, {"all.zip": (tmp_path / "all.zip").read_bytes()})
    job = queue.claim(worker="test", names=["stimuli.check_intake"])
    assert job is not None
    Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED, token=job.token + 1)
    with pytest.raises(queue.LeaseLost):
        imports.check_intake(run=JobRun(job), **job.arguments)
    (first,) = spool.folder_of(intake.pk).glob(f"{spool.WORK}*")
    run("stimuli.check_intake")
    (second,) = spool.folder_of(intake.pk).glob(f"{spool.WORK}*")
    assert first != second
    assert confirmed(Intake.objects.get(pk=intake.pk)).state == "done"
