"""Profile of CPU time: a day's ingest, a fine tile over HTTP and 1,100 clips, each in one run, in rows that add up."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from audio.sandbox.client import start_fork_server
from bench import fine_tiles
from bench.clips import CONDITIONS, ITEMS, ours_s
from bench.ingest import HOURS, NOWHERE, ffmpeg_s, ingest
from bench.material import clips, hour_of_mp3, repeated
from bench.parent_stages import Profile
from bench.stages import Rows, table
from core.models import User
from core.services.accounts import create_account, random_password


def run() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        hour, day = folder / "hour.mp3", folder / "day.mp3"
        hour_of_mp3(hour)
        repeated(hour, day, hours=HOURS)
        yield from ingest_by_stage(day, folder)
        profile = Profile()
        yield from fine_tiles.by_stage(profile, hour, folder)
        clips(folder / "clips", items=ITEMS, conditions=CONDITIONS)
        yield from clips_by_stage(profile, folder / "clips")


def ingest_by_stage(day: Path, folder: Path) -> Iterator[str]:
    """CPU of the import and the ingest with one worker, between two decodes by ffmpeg."""
    can_compare = shutil.which("ffmpeg") is not None
    decodes_s = [ffmpeg_s(day, *NOWHERE)] if can_compare else []
    ingest(day, folder / "stages", workers=1, by_stage=True)
    decodes_s += [ffmpeg_s(day, *NOWHERE)] if can_compare else []
    rows: Rows
    rows, whole_s = json.loads((folder / "stages" / "stages").read_text())
    yield f"CPU of an ingest of {HOURS} h by stage; {_load()}"
    yield from table(rows, whole_s)
    if can_compare:
        yield f"ffmpeg decoding to null, before and after: {decodes_s[0]:.1f} s, {decodes_s[1]:.1f} s"


def clips_by_stage(profile: Profile, folder: Path) -> Iterator[str]:
    owner = create_account(name="stages", role=User.Role.EXPERIMENTER, password=random_password(), actor=None)
    profile.begin()
    start_fork_server()
    passed_s = ours_s(folder, owner, "stages")
    yield f"CPU of {ITEMS * CONDITIONS} clips by stage; {passed_s:.1f} s passed; {_load()}"
    yield from table(*profile.rows())


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
