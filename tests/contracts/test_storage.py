"""Production's storage settings, spoken over HTTP to a real S3-speaking server."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from django.conf import settings
from moto.server import ThreadedMotoServer

from scripts.console import words

ROUND_TRIP = """
import json
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

sound = bytes(range(256)) * 1000
names = [default_storage.save("recordings/one.wav", ContentFile(sound)) for _ in range(2)]
with default_storage.open(names[0]) as file:
    same = file.read() == sound
try:
    default_storage.open("recordings/none.wav").read()
    missing = "found"
except FileNotFoundError:
    missing = "FileNotFoundError"
print(json.dumps({"names": names, "same": same, "size": default_storage.size(names[0]), "missing": missing}))
"""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def test_what_is_stored_comes_back_unchanged_and_the_same_name_stays_one_object(endpoint: str, tmp_path: Path) -> None:
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "garage"}
    store = boto3.client("s3", endpoint_url=endpoint, **keys)
    store.create_bucket(Bucket="contract", CreateBucketConfiguration={"LocationConstraint": "garage"})
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "EARMARK_DATA_DIR": str(tmp_path),
        "EARMARK_S3_ENDPOINT": endpoint,
        "EARMARK_S3_REGION": "garage",
        "EARMARK_S3_BUCKET": "contract",
        "EARMARK_S3_ACCESS_KEY": "test",
        "EARMARK_S3_SECRET_KEY": "test",
        "NO_PROXY": "127.0.0.1",
    }
    command = words(sys.executable, settings.BASE_DIR / "manage.py", "shell", "--no-imports", "-c", ROUND_TRIP)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "names": ["recordings/one.wav"] * 2,
        "same": True,
        "size": 256_000,
        "missing": "FileNotFoundError",
    }
    kept = store.list_objects_v2(Bucket="contract")["Contents"]
    assert [entry["Key"] for entry in kept] == ["recordings/one.wav"]
    assert not (tmp_path / "files").exists(), "nothing may be kept on the disk beside the store"
