"""What must outlive a power cut is on the disk itself, not only on its way there; and how much room there is."""

import os
import shutil
from pathlib import Path


def flush_to_disk(path: Path) -> None:
    """Return when the file, or the list of names in the folder, is there: a renamed file may otherwise be empty."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def free_bytes(place: Path) -> int:
    """How much room the disk of a folder has; the folder may not be there yet."""
    while not place.exists():
        place = place.parent
    return shutil.disk_usage(place).free
