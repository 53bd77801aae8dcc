"""`./earmark bench [NAME...]`: run the benchmarks and print what each was measured against."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

BENCHMARKS = (
    "subsets",
    "orders",
    "votes",
    "mos",
    "results",
    "inference",
    "chapters",
    "clips",
    "ingest",
    "waiting",
    "browsing",
    "plane",
)
KNOWN = (*BENCHMARKS, "profile")  # which is run only when it is named
LOAD_ONCE = (
    "from audio.sandbox.client import AllowedWork; from audio.sandbox.fork_server import load; "
    "load(*AllowedWork().preloaded)"
)


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        print(f"There is no benchmark called {', '.join(unknown)}. Known: {', '.join(KNOWN)}.", file=sys.stderr)
        return 1
    with _data_folder() as folder:
        os.environ["EARMARK_DATA_DIR"] = str(folder)
        _keep_bytecode(folder / "bytecode")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        for name in names or BENCHMARKS:
            for line in import_module(f"bench.{name}").run():
                print(f"{name:10} {line}")
    return 0


@contextmanager
def _data_folder() -> Iterator[Path]:
    """Gone afterwards, unless a folder is named: there `plane` finds the day again that takes minutes to prepare."""
    kept = os.environ.get("EARMARK_BENCH_DATA")
    if kept:
        yield Path(kept)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _keep_bytecode(folder: Path) -> None:
    """A server finds its bytecode on the disk; where a shell forbids that, every fork server would compile its own."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
    subprocess.run([sys.executable, "-c", LOAD_ONCE], check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
