"""Upload manifest: valid paths, each once, and not too many."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import AppError
from stimuli.uploads.manifest import MOST_FILES, DeclaredFile, check_files
from tests.errors import raises_error


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "does not lead straight"),
        ("/etc/passwd", "absolute"),
        ("C:/sounds/a.wav", "absolute"),
        ("a/../b.wav", "does not lead straight"),
        ("./a.wav", "does not lead straight"),
        ("a//b.wav", "does not lead straight"),
        ("a/", "does not lead straight"),
        ("a\\b.wav", "backslashes"),
        ("a\x00.wav", "cannot be seen"),
        ("a\u202egnp.wav", "cannot be seen"),
        ("x" * 501, "more than 500"),
    ],
)
def test_a_path_that_could_lead_astray_is_rejected_and_says_why(path: str, said: str) -> None:
    with raises_error("upload.files_refused") as error:
        check_files([DeclaredFile("good.wav", 1), DeclaredFile(path, 1)])
    assert said in str(error.value)


def test_paths_that_some_disks_take_for_one_are_rejected_together() -> None:
    with raises_error("upload.files_refused", match="only in capitals"):
        check_files([DeclaredFile("C0/A.wav", 1), DeclaredFile("c0/a.wav", 1)])
    with raises_error("upload.files_refused", match="there twice"):
        check_files([DeclaredFile("a.wav", 1), DeclaredFile("a.wav", 1)])
    with raises_error("upload.files_refused", match="there twice"):
        check_files([DeclaredFile("\u00e4.wav", 1), DeclaredFile("a\u0308.wav", 1)])


def test_names_as_macos_writes_them_are_composed() -> None:
    assert check_files([DeclaredFile("a\u0308.wav", 1)]) == [DeclaredFile("\u00e4.wav", 1)]


def test_too_many_files_are_rejected() -> None:
    files = [DeclaredFile(f"{n}.wav", 1) for n in range(MOST_FILES)]
    assert len(check_files(files)) == MOST_FILES
    with raises_error("upload.files_refused", match="as a zip"):
        check_files([*files, DeclaredFile("one more.wav", 1)])


@given(st.lists(st.builds(DeclaredFile, st.text(max_size=30), st.integers(-1, 10)), max_size=8))
def test_every_manifest_is_accepted_or_rejected(files: list[DeclaredFile]) -> None:
    try:
        taken = check_files(files)
    except AppError as error:
        if error.code != "upload.files_refused":
            raise
        return
    assert all(Path("/spool", file.path).resolve().is_relative_to("/spool") for file in taken)
    assert len({file.path.casefold() for file in taken}) == len(files)
