"""Corrections of an import: bad files are left out or replaced, what arrived stays, and the check is quick."""

import hashlib
import io
import zipfile

import pytest
from django.utils import timezone

from core.models import AuditEntry
from stimuli.models import Collection, Import, Stimulus
from stimuli.services import corrections, imports
from stimuli.uploads import files as upload_files
from stimuli.uploads.manifest import DeclaredFile
from tests.errors import raises_error
from tests.factories import make_user
from tests.stimuli.folders import noise, wav
from tests.stimuli.import_material import confirmed, run, send, uploaded

pytestmark = pytest.mark.django_db(transaction=True)

BROKEN = b"RIFF....WAVE"


@pytest.fixture
def collection() -> Collection:
    return Collection.objects.create(slug="sounds", title="Sounds", owner=make_user())


def sounds(*paths: str) -> dict[str, bytes]:
    return {path: wav(noise(0.5, seed=number)) for number, path in enumerate(paths)}


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return packed.getvalue()


def checked(import_: Import) -> Import:
    run("stimuli.check_import")
    import_.refresh_from_db()
    return import_


def leave_out(import_: Import, *paths: str, reason: str = "") -> Import:
    corrections.leave_out_files(import_=import_, paths=paths, actor=import_.owner, reason=reason, now=timezone.now())
    return checked(import_)


def told(import_: Import, severity: str) -> list[str]:
    return [one["sentence"] for one in import_.report["findings"] if one["severity"] == severity]


def test_a_check_with_errors_keeps_what_arrived_and_names_the_files_to_correct(collection: Collection) -> None:
    files = sounds("C0/a.wav", "C1/a.wav") | {"C0/b.wav": BROKEN, "C1/b.wav": b""}
    import_ = checked(uploaded(collection, files))
    assert import_.state == "errors"
    assert corrections.files_with_errors(import_) == ["C0/b.wav", "C1/b.wav"]
    assert all(upload_files.path_of(file).exists() for file in import_.files.all())
    assert AuditEntry.objects.get(action="import.errors_found").after == {"errors": 2}
    assert imports.used_bytes(import_.owner) == sum(map(len, files.values())), "they still count"


def test_a_file_that_is_left_out_is_recorded_and_the_others_are_imported_without_being_decoded_again(
    collection: Collection,
) -> None:
    files = sounds("C0/a.wav", "C1/a.wav", "C0/b.wav") | {"C1/b.wav": BROKEN}
    import_ = checked(uploaded(collection, files))
    assert import_.report["probes"] == {"probed": 4, "reused": 0}
    left = leave_out(import_, "C1/b.wav", reason="The export broke.")
    assert left.state == "proposed"
    assert left.report["probes"] == {"probed": 0, "reused": 3}
    (record,) = left.corrections
    assert (record["path"], record["by"], record["reason"]) == (
        "C1/b.wav",
        import_.owner.username,
        "The export broke.",
    )
    assert record["sha256"] == hashlib.sha256(BROKEN).hexdigest()
    assert "C1/b.wav" in record["found"][0]["sentence"]
    entry = AuditEntry.objects.get(action="import.files_left_out")
    assert (entry.after, entry.reason) == ({"count": 1, "paths": ["C1/b.wav"]}, "The export broke.")
    assert confirmed(left).state == "done"
    assert Stimulus.objects.count() == 3
    left.refresh_from_db()
    assert left.corrections == [record], "the record stays with the import"
    assert not upload_files.folder_of(left.pk).exists()


def test_what_the_collection_lacks_without_a_file_is_said_once_with_what_it_means_for_designs(
    collection: Collection,
) -> None:
    table = b"item,sex\na,F\nb,M\nc,F\n"
    files = sounds("C0/a.wav", "C1/a.wav", "C0/b.wav") | {"C1/b.wav": BROKEN, "C0/c.wav": BROKEN, "sex.csv": table}
    left = leave_out(checked(uploaded(collection, files)), "C1/b.wav", "C0/c.wav")
    assert left.state == "proposed"
    warnings = told(left, "warning")
    (empty,) = [one for one in warnings if "these places are empty" in one]
    assert "b x C1" in empty
    assert "every condition of every item" in empty
    (gone,) = [one for one in warnings if "No file of these items is left: c." in one]
    assert "rows of tables" in gone
    assert not any("There is no sound here" in one and "b x C1" in one for one in warnings)
    assert {item["name"]: item["factors"] for item in left.plan["items"]} == {"a": {"sex": "F"}, "b": {"sex": "M"}}


def test_the_other_files_keep_their_places_when_a_condition_loses_its_only_file(collection: Collection) -> None:
    import_ = checked(uploaded(collection, {**sounds("clean/a.wav"), "noisy/a.wav": BROKEN}))
    left = leave_out(import_, "noisy/a.wav")
    assert [(cell["item"], cell["condition"]) for cell in left.plan["stimuli"]] == [("a", "clean")]
    assert any("No file of these conditions is left: noisy." in one for one in told(left, "warning"))


def test_of_two_files_for_one_place_either_can_be_left_out(collection: Collection) -> None:
    import_ = checked(uploaded(collection, sounds("C0/a.wav", "C0/a.flac", "C1/a.wav")))
    (finding,) = [one for one in import_.report["findings"] if one["severity"] == "error"]
    assert finding["files"] == ["C0/a.flac", "C0/a.wav"]
    left = leave_out(import_, "C0/a.flac")
    assert left.state == "proposed"
    assert [cell["path"] for cell in left.plan["stimuli"]] == ["C0/a.wav", "C1/a.wav"]


def test_files_inside_a_zip_are_left_out_taken_back_and_replaced_too(collection: Collection) -> None:
    inside = sounds("set/C0/a.wav", "set/C1/a.wav") | {"set/C1/b.wav": BROKEN, "set/C0/b.wav": wav(noise(0.4))}
    import_ = checked(uploaded(collection, {"all.zip": zipped(inside)}))
    assert corrections.files_with_errors(import_) == ["set/C1/b.wav"]
    left = leave_out(import_, "set/C1/b.wav")
    assert left.state == "proposed"
    assert left.corrections[0]["sha256"] == hashlib.sha256(BROKEN).hexdigest()
    corrections.take_back_files(import_=left, paths=["set/C1/b.wav"], actor=left.owner, now=timezone.now())
    back = checked(left)
    assert (back.state, back.corrections) == ("errors", [])
    replaced = replace(back, "set/C1/b.wav", wav(noise(0.4, seed=9)))
    assert replaced.state == "proposed"
    assert any("instead of the one in 'all.zip'" in one for one in told(replaced, "note"))
    assert confirmed(replaced).state == "done"
    assert Stimulus.objects.count() == 4


def replace(import_: Import, path: str, content: bytes) -> Import:
    announced = corrections.replace_files(
        import_=import_, files=[DeclaredFile(path, len(content))], actor=import_.owner, now=timezone.now()
    )
    import_.refresh_from_db()
    assert import_.state == "receiving"
    send(announced.get(), content, sha256=hashlib.sha256(content).hexdigest())
    imports.submit_import(import_=import_, digests={}, actor=import_.owner, now=timezone.now())
    return checked(import_)


def test_only_the_replacement_is_sent_and_decoded(collection: Collection) -> None:
    import_ = checked(uploaded(collection, {**sounds("C0/a.wav", "C1/a.wav"), "C2/a.wav": BROKEN}))
    old = import_.files.get(path="C2/a.wav")
    fixed = replace(import_, "C2/a.wav", wav(noise(0.5, seed=8)))
    assert fixed.state == "proposed"
    assert fixed.report["probes"] == {"probed": 1, "reused": 2}
    assert not upload_files.path_of(old).exists()
    (record,) = fixed.corrections
    assert (record["action"], record["sha256"]) == ("replaced", hashlib.sha256(BROKEN).hexdigest())
    assert AuditEntry.objects.get(action="import.files_replaced").before == {"C2/a.wav": record["sha256"]}


def test_more_files_can_be_added_to_an_import_that_lacks_something(collection: Collection) -> None:
    import_ = checked(uploaded(collection, sounds("monday/a.wav", "tuesday/b.wav")))
    assert "share no file names" in told(import_, "error")[0]
    corrections.reopen_import(import_=import_, actor=import_.owner, now=timezone.now())
    table = b"path,item,condition\nmonday/a.wav,a,C0\ntuesday/b.wav,a,C1\n"
    (added,) = imports.add_files(import_=import_, files=[DeclaredFile("manifest.csv", len(table))], now=timezone.now())
    send(added, table, sha256=hashlib.sha256(table).hexdigest())
    imports.submit_import(import_=import_, digests={}, actor=import_.owner, now=timezone.now())
    done = checked(import_)
    assert (done.state, done.plan["layout"], done.report["probes"]["probed"]) == ("proposed", "manifest", 0)


def test_a_bad_table_or_archive_is_left_out_and_stray_files_no_longer_hide_the_layout(collection: Collection) -> None:
    files = sounds("C0/a.wav", "C1/a.wav", "notes/x.wav") | {
        "bad.zip": b"PK\x03\x04 no",
        "rows.csv": b"item,sex\na,F,M\n",
    }
    import_ = checked(uploaded(collection, files))
    assert {"bad.zip", "rows.csv"} <= set(corrections.files_with_errors(import_))
    left = leave_out(import_, "bad.zip", "rows.csv", "notes/x.wav")
    assert left.state == "proposed"
    reasons = {one["path"]: one["reason"] for one in left.plan["ignored"]}
    assert reasons["bad.zip"] == f"{import_.owner.username} left it out"


def test_warnings_stand_beside_errors_in_one_report(collection: Collection) -> None:
    loud = wav(noise(0.5, level=1.0))
    import_ = checked(uploaded(collection, {"C0/a.wav": loud, "C1/a.wav": wav(noise(0.9)), "C2/a.wav": BROKEN}))
    assert import_.state == "errors"
    warnings = [one for one in import_.report["findings"] if one["severity"] == "warning"]
    assert {"C0/a.wav"} in [set(one["files"]) for one in warnings]
    assert any("Cut the conditions to the same length" in one["sentence"] for one in warnings)
    assert not any("There is no sound here" in one["sentence"] for one in warnings), "the broken file is told once"


def test_everything_may_be_left_out_but_then_there_is_nothing_to_import(collection: Collection) -> None:
    left = leave_out(checked(uploaded(collection, {"C0/a.wav": BROKEN})), "C0/a.wav")
    assert (left.state, told(left, "error")) == ("errors", ["Every sound was left out, so nothing can be imported."])


def test_unknown_files_and_imports_that_are_not_checked_are_refused(collection: Collection) -> None:
    import_ = uploaded(collection, {"C0/a.wav": BROKEN})
    with raises_error("import.wrong_state"):
        corrections.leave_out_files(import_=import_, paths=["C0/a.wav"], actor=import_.owner, now=timezone.now())
    checked(import_)
    with raises_error("import.file_unknown", match=r"other\.wav"):
        corrections.leave_out_files(import_=import_, paths=["other.wav"], actor=import_.owner, now=timezone.now())
    with raises_error("import.file_unknown"):
        corrections.replace_files(
            import_=import_, files=[DeclaredFile("other.wav", 1)], actor=import_.owner, now=timezone.now()
        )
    import_.refresh_from_db()
    assert (import_.state, import_.corrections) == ("errors", [])
