"""The requests of tus, as a program makes them."""

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from django.test import Client

from stimuli.models import ImportFile
from stimuli.uploads import files as upload_files

TUS = {"Tus-Resumable": "1.0.0"}
BYTES = "application/offset+octet-stream"


def address(upload: ImportFile) -> str:
    return f"/api/v1/uploads/{upload.pk}/"


def patch(
    client: Client, upload: ImportFile, body: bytes, offset: int = 0, headers: Mapping[str, str] | None = None
) -> Any:
    sent = {**TUS, "Upload-Offset": str(offset), **(headers or {})}
    return client.generic("PATCH", address(upload), body, sent.pop("Content-Type", BYTES), headers=sent)


def head(client: Client, upload: ImportFile) -> Any:
    return client.head(address(upload), headers=TUS)


def checksum(body: bytes, algorithm: str = "sha256") -> str:
    return f"{algorithm} {base64.b64encode(hashlib.new(algorithm, body).digest()).decode()}"


def code(answer: Any) -> tuple[int, str]:
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Tus-Resumable"] == "1.0.0"
    return answer.status_code, answer.json()["code"]


def on_disk(upload: ImportFile) -> bytes:
    return upload_files.path_of(upload).read_bytes()


def encoded(**values: str) -> str:
    return ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in values.items())


def create(client: Client, **headers: str) -> Any:
    return client.post("/api/v1/uploads/", headers=TUS | headers)
