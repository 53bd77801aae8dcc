"""Start-up checks: a dangerous production set-up is refused by the name of its setting, a sound one is not."""

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from pytest_django.fixtures import Settings

SOUND = {
    "PRODUCTION": True,
    "DEBUG": False,
    "ALLOWED_HOSTS": ["listen.example.org"],
    "PUBLIC_URL": "https://listen.example.org",
    "SECOND_FACTOR_REQUIRED": True,
}


def found(settings: Settings, **changes: object) -> set[str]:
    for name, value in changes.items():
        setattr(settings, name, value)
    return {str(message.id) for message in run_checks() if str(message.id).startswith("core.")}


def unavoidable() -> set[str]:
    """SQLite in production is told, and this suite runs on both databases."""
    return {"core.W001"} if connection.vendor == "sqlite" else set()


def test_a_sound_production_passes_on_postgresql_and_is_warned_on_sqlite(settings: Settings) -> None:
    assert found(settings, **SOUND) == unavoidable()


def test_the_embedded_default_passes(settings: Settings) -> None:
    assert found(settings) == set()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"DEBUG": True}, "core.E005"),
        ({"ALLOWED_HOSTS": ["*"]}, "core.E006"),
        ({"ALLOWED_HOSTS": ["localhost", "127.0.0.1"]}, "core.E006"),
        ({"PUBLIC_URL": "http://listen.example.org"}, "core.E007"),
        ({"SECOND_FACTOR_REQUIRED": False}, "core.W002"),
    ],
)
def test_a_dangerous_production_is_told(change: dict[str, object], code: str, settings: Settings) -> None:
    assert found(settings, **(SOUND | change)) == {code} | unavoidable()


@pytest.mark.parametrize(
    ("change", "code"),
    [({"JOB_LEASE_S": 0}, "core.E003"), ({"JOB_POLL_S": 0}, "core.E004"), ({"LOG_FORMAT": "xml"}, "core.E009")],
)
def test_impossible_settings_are_refused(change: dict[str, object], code: str, settings: Settings) -> None:
    assert found(settings, **change) == {code}


def test_a_worker_with_impossible_timings_does_not_start(settings: Settings) -> None:
    settings.JOB_LEASE_S = 0
    with pytest.raises(SystemCheckError, match="EARMARK_JOB_LEASE_S"):
        call_command("run_worker", skip_checks=False)
