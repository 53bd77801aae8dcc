"""fsync of files and folders, and the free space of a disk."""

import os
import shutil
from pathlib import Path


def flush_to_disk(path: Path) -> None:
    """Return once the file, or the folder's list of names, survives a power cut; a renamed file may else be empty."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def free_bytes(place: Path) -> int:
    """Free space on the disk of a folder, which need not exist yet."""
    while not place.exists():
        place = place.parent
    return shutil.disk_usage(place).free
