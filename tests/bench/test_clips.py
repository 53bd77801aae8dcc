"""The benchmark of clips, at a size that measures nothing."""

import pytest

from bench import clips

pytestmark = pytest.mark.django_db


def test_it_runs_to_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clips, "start_fork_server", lambda: None)  # the one of the tests
    for name, small in {"ITEMS": 1, "CONDITIONS": 2, "ROUNDS": 1}.items():
        monkeypatch.setattr(clips, name, small)
    (line,) = clips.run()
    assert line.startswith("2 clips: ")
