"""Fork servers for tests: fresh ones, whose children run work that only tests have."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from audio.sandbox.client import AllowedWork, fork_server


@contextmanager
def fork_server_that_runs(*modules: str) -> Iterator[None]:
    """Load these modules only, and let children run them besides those of the library.

    The one that runs already waits meanwhile: to start it again takes several seconds.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, fresh in (("_process", None), ("_control", None), ("_is_ready", False)):
            patch.setattr(fork_server, name, fresh)
        patch.setattr(fork_server, "allowed", AllowedWork(modules=("audio.", *modules), preloaded=modules))
        try:
            yield
        finally:
            fork_server.close()
