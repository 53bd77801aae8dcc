"""Locked temporary folders: kept while in use by any process, and removable after a kill."""

import subprocess
import sys
from pathlib import Path

import pytest

from stimuli.locked_tempdir import locked_tempdir, remove_unlocked

ROOT = Path(__file__).parents[2]
KILLED_AT_WORK = """
import os, sys
from pathlib import Path
from stimuli.locked_tempdir import locked_tempdir
with locked_tempdir(Path(sys.argv[1]), prefix="work ") as folder:
    (folder / "half").write_bytes(b"half")
    os.kill(os.getpid(), 9)
"""


def test_a_locked_tempdir_stays_until_it_is_unlocked(tmp_path: Path) -> None:
    with locked_tempdir(tmp_path / "new", prefix="work ") as folder:
        (folder / "half").write_bytes(b"half")
        remove_unlocked(folder)
        assert (folder / "half").exists()
    assert folder.exists()
    remove_unlocked(folder)
    assert not folder.exists()
    remove_unlocked(folder)  # gone already


def test_the_folder_of_a_killed_process_can_be_removed(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED_AT_WORK, str(tmp_path)], cwd=ROOT, check=False)
    (left,) = tmp_path.iterdir()
    assert (left / "half").exists()
    remove_unlocked(left)
    assert not left.exists()


def test_a_folder_removed_before_it_is_locked_is_replaced(tmp_path: Path) -> None:
    made: list[Path] = []

    def cleared_at_first(*, prefix: str, dir: Path) -> str:
        made.append(tmp_path / f"{prefix}{len(made)}")
        if len(made) > 1:
            made[-1].mkdir()
        return str(made[-1])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stimuli.locked_tempdir.tempfile.mkdtemp", cleared_at_first)
        with locked_tempdir(tmp_path, prefix="work ") as folder:
            assert folder == made[1]
