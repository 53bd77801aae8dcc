"""Fork servers for tests: fresh ones, whose children run work that only tests have."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from audio.sandbox.client import AllowedWork, fork_server


@contextmanager
def fork_server_that_runs(*modules: str) -> Iterator[None]:
    """Load these modules only, and let children run them besides those of the library."""
    fork_server.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fork_server, "allowed", AllowedWork(modules=("audio.", *modules), preloaded=modules))
        try:
            yield
        finally:
            fork_server.close()
