"""Assertion of an expected error by its code."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.errors import AppError


@contextmanager
def raises_error(code: str, *, match: str | None = None) -> Iterator[pytest.ExceptionInfo[AppError]]:
    """As pytest.raises, for an AppError of this code."""
    with pytest.raises(AppError, match=match) as caught:
        yield caught
    assert caught.value.code == code
