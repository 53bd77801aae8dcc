"""Where the derivatives of a recording lie in storage: named by the original's content and by how they are made."""

from dataclasses import dataclass
from typing import Self

from stimuli.models import DERIVATION, Recording


@dataclass(frozen=True)
class Derived:
    """Names under one folder; whoever makes a file again makes the same bytes under the same name."""

    folder: str

    @classmethod
    def of(cls, recording: Recording) -> Self:
        return cls(f"derived/{recording.sha256}/{DERIVATION}")

    @property
    def frames(self) -> str:
        return f"{self.folder}/frames.idx"

    def file(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def chunk(self, number: int) -> str:
        return f"{self.folder}/chunk-{number:05}.bin"

    def master(self, number: int) -> str:
        return f"{self.folder}/master-{number:05}.flac"
