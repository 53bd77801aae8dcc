"""Web processes and workers load no decoder and no compiler; those live in the sealed child alone."""

import subprocess
import sys

from tests.contracts.tree import ROOT

HEAVY = ("numba", "llvmlite", "scipy", "av", "soundfile", "pydub")
PROGRAM = f"""
import os, sys
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
import django
django.setup()
from django.urls import get_resolver
routes = get_resolver().url_patterns
from core.jobs import declared_jobs
jobs = declared_jobs()
assert len(routes) > 3 and len(jobs) > 3, (routes, jobs)
print(*[name for name in {HEAVY!r} if name in sys.modules])
"""


def test_no_page_and_no_job_loads_what_decodes() -> None:
    found = subprocess.run([sys.executable, "-c", PROGRAM], check=True, cwd=ROOT, capture_output=True, text=True)
    assert found.stdout.split() == []
