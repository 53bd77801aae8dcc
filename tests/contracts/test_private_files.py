"""Permissions of files: those of the server are for its own account, and nginx reads only what it sends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.management import call_command

from core import database
from scripts import run

ROOT = settings.BASE_DIR
USUAL_UMASK = 0o022
OTHERS, GROUP_AND_OTHERS = 0o007, 0o077

STORE = """
import django
django.setup()
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from stimuli.storage import Folder
upload = settings.DATA_DIR / "upload"
upload.touch(mode=0o600)
Folder().keep_bytes("recordings/a.wav", b"RIFF")
Folder().keep_file("recordings/b.wav", upload, linked=True)
default_storage.save("recordings/c.wav", ContentFile(b"RIFF"))
(settings.DATA_DIR / "log").mkdir()
(settings.DATA_DIR / "log" / "web.log").write_text("x")
"""


def modes_below(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mode & 0o777 for path in [folder, *folder.rglob("*")]}


def store_files(folder: Path, **environment: str) -> dict[str, int]:
    """The modes of what a process leaves in a data folder of its own; it is started with the usual umask."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("EARMARK_")}
    settings_of = {"DJANGO_SETTINGS_MODULE": "config.settings", "EARMARK_DATA_DIR": str(folder), **environment}
    # The name keeps a developer's .env out of it.
    told = {**clean, "EARMARK_TEST_DATABASE": "sqlite", **settings_of}
    subprocess.run([sys.executable, "-c", STORE], cwd=ROOT, env=told, umask=USUAL_UMASK, check=True)
    return modes_below(folder)


def test_what_a_process_writes_is_closed_to_other_accounts(tmp_path: Path) -> None:
    modes = store_files(tmp_path / "data")
    assert {"secret-key", "files/recordings/a.wav", "files/recordings/c.wav", "log/web.log"} <= set(modes)
    assert [name for name, mode in modes.items() if mode & GROUP_AND_OTHERS] == []


def test_an_nginx_of_the_same_group_can_read_what_it_is_to_send(tmp_path: Path) -> None:
    modes = store_files(tmp_path / "data", EARMARK_X_ACCEL_PREFIX="/_files/")
    assert [name for name, mode in modes.items() if mode & OTHERS] == []
    assert all(modes[f"files/recordings/{name}.wav"] == 0o640 for name in "abc")
    assert all(modes[folder] == 0o750 for folder in (".", "files", "files/recordings"))
    assert modes["secret-key"] == 0o600


@pytest.mark.skipif(settings.TEST_DATABASE != "sqlite", reason="only SQLite is copied")
@pytest.mark.django_db(transaction=True)
def test_copies_of_the_database_are_private() -> None:
    path = database.make_copy()
    assert path is not None
    assert path.stat().st_mode & GROUP_AND_OTHERS == 0
    assert path.parent.stat().st_mode & GROUP_AND_OTHERS == 0


def test_a_folder_that_was_open_to_others_is_closed_by_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "var" / "log"
    logs.mkdir(parents=True)
    logs.parent.chmod(0o755)
    monkeypatch.setattr(run, "LOGS", logs)
    before = os.umask(USUAL_UMASK)
    try:
        run.keep_private()
        (logs / "web.log").write_text("x")
    finally:
        os.umask(before)
    assert logs.parent.stat().st_mode & 0o777 == 0o700
    assert (logs / "web.log").stat().st_mode & GROUP_AND_OTHERS == 0


def test_nginx_can_read_the_static_files_that_compose_prepares(tmp_path: Path) -> None:
    """nginx runs as another user there, so the last step of the preparation opens these files, and nothing else."""
    prepare = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["prepare"]["command"][-1]
    *_, collect, last = prepare.split(" && ")
    assert collect.startswith("python manage.py collectstatic")
    static = Path(settings.STATIC_ROOT)
    call_command("collectstatic", interactive=False, verbosity=0)
    assert any(mode & OTHERS == 0 for mode in modes_below(static).values()), "the umask reaches static files too"
    command = last.replace("/var/lib/earmark/static", str(static))
    assert command != last
    subprocess.run(["sh", "-c", command], check=True)
    for path in [static, *static.rglob("*")]:
        assert path.stat().st_mode & OTHERS == (0o5 if path.is_dir() else 0o4), path
