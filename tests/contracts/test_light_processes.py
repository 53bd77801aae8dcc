"""Web processes and workers load no decoder and no compiler, without Redis no Celery, and a worker loads no page."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

from tests.contracts.tree import ROOT

HEAVY = ("numba", "llvmlite", "scipy", "av", "soundfile", "pydub", "weasyprint")
DJANGO = """
import sys
import django
django.setup()
"""
PAGES = """
from django.urls import get_resolver
assert len(get_resolver().url_patterns) > 3
"""
JOBS = """
from core.jobs import declared_jobs
assert len(declared_jobs()) > 3
"""
NO_REDIS = """
from core.jobs.notify import notify
from core.models import Job
assert notify(Job(name="a")) is False
"""
START_OF_A_WORKER = """
from core.management.commands.run_worker import Command
command = Command()
command.check(tags=command.requires_system_checks)
"""


@pytest.mark.parametrize(
    ("program", "unwanted"),
    [
        (PAGES + JOBS + NO_REDIS, (*HEAVY, "celery", "kombu")),
        (START_OF_A_WORKER + JOBS, (*HEAVY, "config.urls", "rest_framework.views")),
    ],
)
def test_a_process_loads_only_what_it_needs(program: str, unwanted: tuple[str, ...]) -> None:
    found = f"print(*[name for name in {unwanted!r} if name in sys.modules])"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EARMARK_")}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings", "EARMARK_DATA_DIR": str(settings.DATA_DIR)}
    command = [sys.executable, "-c", DJANGO + program + found]
    done = subprocess.run(command, env=environment, check=True, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == []
