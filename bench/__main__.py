"""`./earmark bench [NAME...]`: run the benchmarks and print what each was measured against."""

import os
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module

BENCHMARKS = ("votes", "clips", "ingest", "browsing")


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"There is no benchmark called {', '.join(unknown)}. Known: {', '.join(BENCHMARKS)}.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EARMARK_DATA_DIR"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        for name in names or BENCHMARKS:
            for line in import_module(f"bench.{name}").run():
                print(f"{name:10} {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
