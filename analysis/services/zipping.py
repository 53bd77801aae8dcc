"""A zip that leaves piece by piece, so that no download is held whole; its last file is a list of checksums."""

import hashlib
import zipfile
from collections.abc import Iterable, Iterator, Sequence

PIECE_BYTES = 64 * 1024
CHECKSUMS = "checksums.sha256"
EPOCH = (1980, 1, 1, 0, 0, 0)  # a zip of the same data is the same zip


class _Outlet:
    """What the zip is written to: it keeps the bytes until they are fetched."""

    def __init__(self) -> None:
        self.waiting = bytearray()

    def write(self, data: bytes) -> int:
        self.waiting += data
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def fetch(self) -> bytes:
        data, self.waiting = bytes(self.waiting), bytearray()
        return data


def zipped(folder: str, files: Sequence[tuple[str, Iterable[str]]]) -> Iterator[bytes]:
    """Yield a zip of these files (name and text, in pieces) in one folder, and at last the list of their digests."""
    outlet, digests = _Outlet(), []
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for name, pieces in files:
            digest = hashlib.sha256()
            with archive.open(_entry(f"{folder}/{name}"), "w", force_zip64=True) as entry:
                for piece in pieces:
                    data = piece.encode()
                    digest.update(data)
                    entry.write(data)
                    if len(outlet.waiting) >= PIECE_BYTES:
                        yield outlet.fetch()
            digests.append(f"{digest.hexdigest()}  {name}\n")
        archive.writestr(_entry(f"{folder}/{CHECKSUMS}"), "".join(digests))
    yield outlet.fetch()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
