"""Compilation of inner loops with numba: kept on disk between runs, and typed as the function was."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    return cast("Callable[P, R]", njit(cache=True, nogil=True, fastmath=True)(function))
