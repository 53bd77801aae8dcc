"""manage.py measure_loudness FILE...: loudness, range and peaks of sound files of any length and format."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from audio.errors import AudioError
from audio.measure import FileMeasures, measure_file

HEADINGS = ("LUFS", "LRA", "dBTP", "dBFS", "duration", "Hz", "channels", "file")


class Command(BaseCommand):
    help = "Measure loudness (ITU-R BS.1770-4), loudness range (EBU Tech 3342) and true peak of sound files."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="WAV, FLAC, MP3, Ogg, M4A or AIFF, of any length")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print the measures as JSON")

    def handle(self, *, files: list[str], as_json: bool, **options: Any) -> None:
        found = {name: measured for name in files if (measured := self._measured(name))}
        if as_json:
            entries = [{"file": name, **measured.to_json()} for name, measured in found.items()]
            self.stdout.write(json.dumps(entries, indent=2))
        elif found:
            rows = [HEADINGS, *(_row(name, measured) for name, measured in found.items())]
            self.stdout.write("\n".join(_line(row) for row in rows))
        if len(found) < len(set(files)):
            raise SystemExit(1)

    def _measured(self, name: str) -> FileMeasures | None:
        """Measure a file, or say on the error stream why it cannot be."""
        try:
            with Path(name).open("rb") as file:
                return measure_file(file, name, lambda share: self._show(f"{name} {share:4.0%}"))
        except OSError as problem:
            complaint = f"'{name}' cannot be opened: {problem.strerror}. Give the path of a sound file."
        except AudioError as error:
            complaint = str(error)
        finally:
            self._show("")
        self.stderr.write(complaint)
        return None

    def _show(self, text: str) -> None:
        """Overwrite the last line, on a terminal."""
        if self.stderr.isatty():
            self.stderr.write(f"\r\033[K{text}", ending="")
            self.stderr.flush()


def _row(name: str, measured: FileMeasures) -> tuple[str, ...]:
    measures, shape = measured.measures, measured.shape
    levels = measures.integrated_lufs, measures.loudness_range_lu, measures.true_peak_dbtp, measures.sample_peak_dbfs
    return (
        *("-" if level is None else f"{level:.1f}" for level in levels),
        _clock(measured.duration_s),
        str(shape.sample_rate_hz),
        str(shape.channels),
        name,
    )


def _line(row: tuple[str, ...]) -> str:
    widths = (6, 6, 6, 6, 12, 7, 9)
    return " ".join(f"{text:>{width}}" for text, width in zip(row, widths, strict=False)) + f"  {row[-1]}"


def _clock(duration_s: float) -> str:
    minutes, seconds = divmod(duration_s, 60)
    return f"{int(minutes) // 60}:{int(minutes) % 60:02d}:{seconds:06.3f}"
