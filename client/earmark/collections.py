"""Collections of sounds: sent from a folder or a zip, checked, imported, and copied to one loudness."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from earmark.http import Connection, EarmarkError

PIECE_BYTES = 4 * 2**20
SENDINGS = 5  # of one file, each going on where the last one broke off
TUS = {"Tus-Resumable": "1.0.0"}

Progress = Callable[[int, int], None]  # bytes sent, bytes in all


@dataclass(frozen=True)
class Collection:
    """A collection on the server."""

    connection: Connection
    slug: str

    @property
    def path(self) -> str:
        return f"collections/{self.slug}/"

    def info(self) -> dict[str, Any]:
        """Title, owner, counts and conditions."""
        found: dict[str, Any] = self.connection.json("GET", self.path)
        return found

    def checks(self) -> dict[str, Any]:
        """What was found about the sounds: counts, and findings with a sentence each."""
        found: dict[str, Any] = self.connection.json("GET", f"{self.path}checks/")
        return found

    def normalise(self, target_lufs: float, *, title: str = "", slug: str = "") -> "Collection":
        """Make a copy with every clip at one loudness; this collection stays as it is."""
        usual = f"{self.slug[:40]}-{abs(target_lufs):g}lufs"
        named = {name: value for name, value in (("title", title), ("slug", slug or usual)) if value}
        body = {"target_lufs": target_lufs, **named}
        self.connection.finish(self.connection.json("POST", f"{self.path}copies/", body))
        return Collection(self.connection, named["slug"])

    def upload(self, source: str | Path, *, progress: Progress | None = None, replace: bool = False) -> "Collection":
        """Send a folder, a zip or one file, have it checked, and import it if there is no error."""
        files = _files_of(Path(source))
        declared = [{"path": name, "byte_count": path.stat().st_size} for name, path in files.items()]
        begun = self.connection.json("POST", f"{self.path}imports/", {"files": declared})
        place = f"{self.path}imports/{begun['id']}/"
        tell = _Told(progress, sum(path.stat().st_size for path in files.values()))
        addresses = {file["path"]: file["upload_url"] for file in begun["files"]}
        digests = {name: self._send(path, addresses[name], tell) for name, path in files.items()}
        self.connection.json("POST", f"{place}submit/", {"digests": digests})
        checked = self.connection.wait_for(place, done={"proposed"}, failed={"errors", "cancelled"})
        if checked["state"] != "proposed":
            raise EarmarkError(
                _findings(checked["report"]), code="import.errors", data={"import": place, "report": checked["report"]}
            )
        self.connection.json("POST", f"{place}confirm/", {"replace": replace})
        imported = self.connection.wait_for(place, done={"done"}, failed={"errors", "cancelled", "proposed"})
        if imported["state"] != "done":
            raise EarmarkError(_findings(imported["report"]), code="import.errors", data={"import": place})
        return self

    def _send(self, path: Path, address: str, tell: "_Told") -> str:
        """Send a file in pieces and return its SHA-256; after a cut it goes on where the server says."""
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                digest.update(piece)
        with path.open("rb") as file:
            for sending in range(1, SENDINGS + 1):
                try:
                    self._send_rest(file, path.stat().st_size, address, tell)
                    break
                except EarmarkError as problem:
                    if problem.code != "unreachable" or sending == SENDINGS:
                        raise
        return digest.hexdigest()

    def _send_rest(self, file: IO[bytes], size: int, address: str, tell: "_Told") -> None:
        offset = int(self.connection.ask("HEAD", address, headers=TUS).headers["Upload-Offset"])
        while offset < size:
            file.seek(offset)
            headers = {**TUS, "Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
            answer = self.connection.ask("PATCH", address, content=file.read(PIECE_BYTES), headers=headers)
            offset = int(answer.headers["Upload-Offset"])
            tell.arrived(address, offset)


class _Told:
    """How much of all files has arrived, told after each piece."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._arrived: dict[str, int] = {}

    def arrived(self, address: str, offset: int) -> None:
        self._arrived[address] = offset
        if self._progress:
            self._progress(sum(self._arrived.values()), self._total)


def _files_of(source: Path) -> dict[str, Path]:
    """The files to send, by the path under which they are announced; hidden ones stay at home."""
    if source.is_file():
        return {source.name: source}
    if not source.is_dir():
        raise FileNotFoundError(f"There is no file and no folder {source}.")
    found = {path.relative_to(source): path for path in sorted(source.rglob("*")) if path.is_file()}
    seen = {name.as_posix(): path for name, path in found.items() if not any(p.startswith(".") for p in name.parts)}
    if not seen:
        raise FileNotFoundError(f"There is no file in {source}.")
    return seen


def _findings(report: Mapping[str, Any]) -> str:
    errors = [found for found in report.get("findings", []) if found.get("severity") == "error"]
    told = [f"{found['path']}: {found['sentence']}" if found.get("path") else found["sentence"] for found in errors]
    return " ".join(told) or "The files could not be imported."
