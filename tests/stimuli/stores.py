"""The two kinds of storage as fixtures, so that the same test runs over a folder and over an S3-speaking server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
from moto.server import ThreadedMotoServer
from pytest_django.fixtures import Settings

from tests.stimuli.recordings import fresh_storage

BUCKET = "earmark"
KEYS = {"access_key": "test", "secret_key": "test", "region_name": "garage"}


@contextmanager
def s3_server() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def use_bucket(settings: Settings, folder: Path, endpoint: str) -> Any:
    """Let the test's storage be an empty bucket, and return a client that looks at it from the side."""
    fresh_storage(settings, folder)
    options = {"bucket_name": BUCKET, "endpoint_url": endpoint, "default_acl": None, "file_overwrite": True, **KEYS}
    settings.STORAGES = settings.STORAGES | {
        "default": {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    }
    client = boto3.client(
        "s3", endpoint_url=endpoint, aws_access_key_id="test", aws_secret_access_key="test", region_name="garage"
    )
    if BUCKET in [bucket["Name"] for bucket in client.list_buckets()["Buckets"]]:
        for entry in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
            client.delete_object(Bucket=BUCKET, Key=entry["Key"])
    else:
        client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "garage"})
    return client
