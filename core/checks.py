"""Start-up checks of the settings; each error names the setting that is missing or dangerous."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as Caution
from django.db import connection

from core import database
from core.check_result import Level
from core.jobs import declared_jobs

LOOPBACK = {"127.0.0.1", "localhost", "[::1]"}
SETTINGS = "settings"  # tag of the checks that a worker makes too


@register(SETTINGS)
def check_schedule(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Every scheduled job must exist and have a period."""
    unknown = sorted(set(settings.SCHEDULE) - set(declared_jobs()))
    messages: list[CheckMessage] = [
        Error(
            f"SCHEDULE names the job '{name}', which no app declares.",
            hint="Declare it with @job in an app's tasks module, or take it out of SCHEDULE.",
            id="core.E001",
        )
        for name in unknown
    ]
    for name, every_s in settings.SCHEDULE.items():
        if every_s < 1:
            messages.append(Error(f"SCHEDULE runs '{name}' every {every_s} s; use at least 1.", id="core.E002"))
    return messages


@register(SETTINGS)
def check_jobs(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """A lease must outlast a few heartbeats, and a poll must pause."""
    messages: list[CheckMessage] = []
    if settings.JOB_LEASE_S < 1:
        messages.append(Error("EARMARK_JOB_LEASE_S must be at least 1; 60 is a good lease.", id="core.E003"))
    if settings.JOB_POLL_S <= 0:
        messages.append(Error("EARMARK_JOB_POLL_S must be greater than 0; 0.2 is a good pause.", id="core.E004"))
    return messages


@register(SETTINGS)
def check_logs(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    if settings.LOG_FORMAT in ("line", "json"):
        return []
    return [Error(f"EARMARK_LOG_FORMAT is '{settings.LOG_FORMAT}'; it must be line or json.", id="core.E009")]


@register(SETTINGS)
def check_production(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """A server that others can reach must be told its name, its address and its secrets."""
    if not settings.PRODUCTION:
        return []
    messages: list[CheckMessage] = []
    if settings.DEBUG:
        messages.append(Error("EARMARK_DEBUG is on in production; it shows secrets to anybody.", id="core.E005"))
    if "*" in settings.ALLOWED_HOSTS or set(settings.ALLOWED_HOSTS) <= LOOPBACK:
        hint = "Set it to the names that people type, for example: listen.example.org"
        messages.append(Error("EARMARK_HOSTS does not name this server's hosts exactly.", hint=hint, id="core.E006"))
    if not settings.PUBLIC_URL.startswith("https://"):
        hint = "Participants' links begin with it, for example: https://listen.example.org"
        messages.append(Error("EARMARK_PUBLIC_URL must begin with https:// in production.", hint=hint, id="core.E007"))
    if connection.vendor == "sqlite":
        hint = "Set EARMARK_DATABASE_URL to a PostgreSQL address."
        messages.append(
            Caution("SQLite serves a small lab; use PostgreSQL for real studies.", hint=hint, id="core.W001")
        )
    if not settings.SECOND_FACTOR_REQUIRED:
        messages.append(Caution("EARMARK_SECOND_FACTOR is off: a stolen password opens every study.", id="core.W002"))
    return messages


@register(Tags.database)
def check_durability(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The database must flush what it acknowledges; runs with `migrate` and with `check --database default`."""
    if not databases or "default" not in databases:
        return []
    return [
        Error(finding.sentence, hint=finding.remedy, id="core.E008")
        for finding in database.durability()
        if finding.level is Level.PROBLEM
    ]
