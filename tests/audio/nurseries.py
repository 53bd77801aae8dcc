"""Nurseries for tests: fresh ones, whose children also take work that only tests have."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from audio.sealed import asking
from audio.sealed.household import TEST_WORK


@contextmanager
def nursery_that_takes(*modules: str) -> Iterator[None]:
    asking._household.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TEST_WORK, ",".join(modules))
        try:
            yield
        finally:
            asking._household.close()
