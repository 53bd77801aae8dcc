"""Uploads: checked, proposed, confirmed and imported by jobs that may run twice and lose nothing."""

import io
import zipfile
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from audio.quality_checks import Severity
from core.jobs import JobRun, queue
from core.models import Job
from stimuli.models import Collection, Import, Recording, Stimulus
from stimuli.services import imports
from stimuli.uploads import files as upload_files
from stimuli.uploads.manifest import DeclaredFile
from tests.factories import make_user
from tests.stimuli.folders import noise, wav
from tests.stimuli.import_material import confirmed, run, send, uploaded

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def collection() -> Collection:
    return Collection.objects.create(slug="sounds", title="Sounds", owner=make_user())


def test_an_upload_is_checked_proposed_confirmed_and_imported(collection: Collection) -> None:
    import_ = uploaded(collection, {f"C{n}/a.wav": wav(noise(0.5, seed=n)) for n in range(2)})
    run("stimuli.check_import")
    import_.refresh_from_db()
    assert (import_.state, import_.plan["layout"]) == ("proposed", "conditions")
    assert [cell["path"] for cell in import_.plan["stimuli"]] == ["C0/a.wav", "C1/a.wav"]
    assert all(file.sha256 for file in import_.files.all())
    assert not Stimulus.objects.exists()
    assert confirmed(import_).state == "done"
    assert Stimulus.objects.count() == 2
    assert not upload_files.folder_of(import_.pk).exists()


def test_a_zip_is_unpacked_and_what_it_holds_is_imported(tmp_path: Path, collection: Collection) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for n in range(2):
            archive.writestr(f"set/C{n}/é.wav", wav(noise(0.5, seed=n)))
        archive.writestr("__MACOSX/set/._x", b"litter")
    import_ = uploaded(collection, {"all.zip": (tmp_path / "all.zip").read_bytes()})
    run("stimuli.check_import")
    import_.refresh_from_db()
    assert import_.state == "proposed"
    assert confirmed(import_).version == 1
    assert {row.condition.name for row in Stimulus.objects.filter(item__name="é")} == {"C0", "C1"}


def test_a_zip_may_not_unpack_to_more_than_is_left_of_the_quota(collection: Collection, settings: Settings) -> None:
    silence = wav(np.zeros(250_000))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(2):
            archive.writestr(f"C{n}/a.wav", silence)
    stored = {f"C{n}/b.wav": wav(noise(0.5, seed=n)) for n in range(2)}
    earlier = uploaded(collection, stored)
    run("stimuli.check_import")
    confirmed(earlier)
    needed = sum(map(len, stored.values())) + 2 * len(silence)
    told = []
    for missing_bytes, state in ((0, "proposed"), (1, "errors"), (400_000, "errors")):
        settings.UPLOAD_QUOTA_GB = (needed - missing_bytes + 0.5) / 1e9
        import_ = uploaded(collection, {"all.zip": packed.getvalue()})
        run("stimuli.check_import")
        import_.refresh_from_db()
        assert import_.state == state
        told += [one["sentence"] for one in import_.report["findings"] if "all.zip" in one["sentence"]]
        imports.expire_imports(now=timezone.now() + timedelta(days=30))
    assert len(told) == 2
    assert "unpacks to 0.001 GB, and there is room for 0.0006 GB" in told[1]


def test_of_an_upload_with_broken_files_all_reasons_are_told(collection: Collection) -> None:
    files = {"C0/a.wav": wav(noise(0.5)), "C1/a.wav": b"nothing", "C2/a.wav": b"", "bomb.zip": b"PK\x03\x04 no"}
    import_ = uploaded(collection, files)
    run("stimuli.check_import")
    import_.refresh_from_db()
    assert import_.state == "errors"
    errors = [one for one in import_.report["findings"] if one["severity"] == Severity.ERROR]
    assert import_.report["errors"] == len(errors) >= 1
    assert any("bomb.zip" in one["sentence"] for one in errors)
    assert any("C1/a.wav" in one["path"] for one in errors)
    assert any("C2/a.wav" in one["path"] for one in errors)


def test_bytes_that_are_not_those_that_were_sent_are_refused(collection: Collection) -> None:
    sound = wav(noise(0.5))
    import_ = imports.begin_import(
        collection=collection, owner=collection.owner, files=[DeclaredFile("a.wav", len(sound))], now=timezone.now()
    )
    send(import_.files.get(), sound)
    imports.submit_import(import_=import_, digests={"a.wav": "0" * 64}, actor=collection.owner, now=timezone.now())
    run("stimuli.check_import")
    import_.refresh_from_db()
    assert (import_.state, import_.report["errors"]) == ("errors", 1)
    assert "other bytes than were sent" in import_.report["findings"][0]["sentence"]


def test_cells_that_are_taken_wait_for_a_word_about_replacing(collection: Collection) -> None:
    first = uploaded(collection, {"C0/a.wav": wav(noise(0.5))})
    run("stimuli.check_import")
    confirmed(Import.objects.get(pk=first.pk))
    second = uploaded(collection, {"C0/a.wav": wav(noise(0.6, seed=3))})
    run("stimuli.check_import")
    second.refresh_from_db()
    assert "holds 1 of these stimuli already" in second.report["findings"][0]["sentence"]
    assert confirmed(second).state == "proposed"
    assert confirmed(second, replace=True).state == "done"
    assert Recording.objects.get(stimuli__isnull=False).duration_s == pytest.approx(0.6)


def test_both_jobs_do_nothing_the_second_time(collection: Collection) -> None:
    import_ = uploaded(collection, {"C0/a.wav": wav(noise(0.5))})
    job = Job.objects.get(name="stimuli.check_import")
    run("stimuli.check_import")
    imports.check_import(run=JobRun(job), import_id=str(import_.pk))
    confirmed(Import.objects.get(pk=import_.pk))
    imports.commit_confirmed_import(run=JobRun(job), import_id=str(import_.pk))
    collection.refresh_from_db()
    assert (collection.version, Stimulus.objects.count()) == (1, 1)


def test_an_import_without_its_draft_listens_again(collection: Collection) -> None:
    import_ = uploaded(collection, {"C0/a.wav": wav(noise(0.5))})
    run("stimuli.check_import")
    (upload_files.folder_of(import_.pk) / imports.DRAFT).unlink()
    assert confirmed(Import.objects.get(pk=import_.pk)).state == "done"


def test_a_check_clears_away_what_killed_ones_left_and_spares_what_is_at_work(collection: Collection) -> None:
    """A worker that has lost the job and does not know it yet still needs its folder."""
    import_ = uploaded(collection, {"C0/a.wav": wav(noise(0.5))})
    killed = upload_files.folder_of(import_.pk) / f"{upload_files.WORK}killed"
    with upload_files.work_folder(import_.pk) as slow:
        for folder in (killed, slow):
            folder.mkdir(exist_ok=True)
            (folder / "half").write_bytes(b"half")
        run("stimuli.check_import")
        import_.refresh_from_db()
        assert import_.state == "proposed"
        assert not killed.exists()
        assert (slow / "half").read_bytes() == b"half"
    assert confirmed(import_).state == "done"


def test_a_check_whose_outcome_was_never_written_down_is_done_again_in_its_place(
    tmp_path: Path, collection: Collection
) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("set/C0/a.wav", wav(noise(0.5)))
    import_ = uploaded(collection, {"all.zip": (tmp_path / "all.zip").read_bytes()})
    job = queue.claim(worker="test", names=["stimuli.check_import"])
    assert job is not None
    Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED, token=job.token + 1)
    with pytest.raises(queue.LeaseLost):
        imports.check_import(run=JobRun(job), **job.arguments)
    (first,) = upload_files.folder_of(import_.pk).glob(f"{upload_files.WORK}*")
    run("stimuli.check_import")
    (second,) = upload_files.folder_of(import_.pk).glob(f"{upload_files.WORK}*")
    assert first != second
    assert confirmed(Import.objects.get(pk=import_.pk)).state == "done"
