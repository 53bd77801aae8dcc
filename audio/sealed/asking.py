"""The one way to decode a stranger's file: in a child process that can read it, answer, and do nothing else."""

import importlib
import logging
import os
import pkgutil
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any, BinaryIO

from audio.errors import DecoderDied, SoundTooCostly
from audio.sealed.household import TEST_WORK, Gone, Household, Ward
from audio.sealed.wire import Line, Message, TooLate, TooMuchSaid, WireBroken
from core.clauses import clause
from core.errors import AppError
from stimuli import errors

logger = logging.getLogger(__name__)

# Work lives in these packages, and in modules that a test run names.
WORKPLACES = ("audio.", "stimuli.intake.")
NOTHING: Mapping[str, bytes] = MappingProxyType({})
# Refusals that a child may raise; anything else that it claims to have raised is not believed.
REFUSALS = {
    name: kind
    for module in (
        "audio.errors",
        *(found.name for found in pkgutil.iter_modules(errors.__path__, f"{errors.__name__}.")),
    )
    for name, kind in vars(importlib.import_module(module)).items()
    if isinstance(kind, type) and issubclass(kind, AppError) and kind is not AppError
}


@dataclass(frozen=True)
class Limits:
    """What one question may cost."""

    cpu_s: int = 60
    memory_bytes: int = 512 * 2**20  # beyond what is mapped when the work begins
    wall_s: float = 120.0
    result_bytes: int = 64 * 2**20


@dataclass(frozen=True)
class Outcome:
    """An answer: facts that JSON can say, and raw bytes under names."""

    facts: dict[str, Any]
    blobs: dict[str, bytes] = field(default_factory=dict)


ORDINARY = Limits()


def run_sealed(
    work: str,
    *files: BinaryIO,
    name: str = "",
    limits: Limits = ORDINARY,
    blobs: Mapping[str, bytes] = NOTHING,
    **arguments: Any,
) -> Outcome:
    """Call `work` ("module:function") as function(*files, **blobs, **arguments) in a sealed child and bring its answer.

    The function gets the name too if it takes one. The files' positions stay as they are, and several calls may share
    a file. An AppError of the child is raised here as it was there; a crash or a limit is raised as DecoderDied or
    SoundTooCostly.
    """
    if not is_work(work):
        raise ValueError(f"{work} is not work for a sealed child.")
    question = {"work": work, "name": name, "arguments": arguments, "limits": asdict(limits)}
    with ExitStack() as stack:
        descriptors = [stack.enter_context(_descriptor(file)) for file in files]
        try:
            return _outcome(_ask_twice(question, descriptors, limits=limits, name=name, blobs=blobs), name=name)
        except (DecoderDied, SoundTooCostly) as refusal:
            logger.warning("%s gave up: %s", work, refusal)
            raise


def prepare() -> None:
    """Start this process's nursery without waiting for it, so that the first question need not."""
    _household.start()


def is_work(work: str) -> bool:
    module, colon, function = work.partition(":")
    return bool(colon and function.isidentifier()) and (module.startswith(WORKPLACES) or module in named_by_tests())


def named_by_tests() -> list[str]:
    """Name the modules that a test run puts in the place of those that a nursery loads at its start."""
    return [name for name in os.environ.get(TEST_WORK, "").split(",") if name]


# --- Asking -----------------------------------------------------------------------------------------------------------


def _ask_twice(question: dict[str, Any], descriptors: Sequence[int], **more: Any) -> Message:
    """Ask, and once more if the child or its nursery was killed from outside, which says nothing about the file."""
    try:
        return _ask(question, descriptors, **more)
    except Gone:
        logger.warning("The sealed child for %s was lost; another is asked.", question["work"])
    return _ask(question, descriptors, **more, last=True)


def _ask(
    question: dict[str, Any],
    descriptors: Sequence[int],
    *,
    limits: Limits,
    name: str,
    blobs: Mapping[str, bytes],
    last: bool = False,
) -> Message:
    with _household.ward() as ward:
        line = Line(ward.line, time.monotonic() + limits.wall_s)
        try:
            line.send(question, blobs=blobs, descriptors=descriptors)
            return line.receive(most_bytes=limits.result_bytes)
        except TooLate:
            raise SoundTooCostly(name=name, resource=clause("time")) from None
        except TooMuchSaid:
            raise SoundTooCostly(name=name, resource=clause("room for the result")) from None
        except WireBroken as problem:
            logger.info("The sealed child for %s fell silent: %s", question["work"], problem)
            raise _obituary(ward, name=name, last=last) from None


def _obituary(ward: Ward, *, name: str, last: bool) -> AppError | Gone:
    """Say why a child left without an answer."""
    try:
        code = ward.exit_code()
    except Gone as gone:
        return DecoderDied(name=name, problem=clause("its process was lost twice")) if last else gone
    if code == -signal.SIGKILL and not last:  # By the kernel when memory ran short, or by a person.
        return Gone()
    if code == -signal.SIGXCPU:
        return SoundTooCostly(name=name, resource=clause("time"))
    if code < 0:
        return DecoderDied(name=name, problem=signal.strsignal(-code) or str(-code))
    return DecoderDied(name=name, problem=clause("it left without an answer"))


def _outcome(answer: Message, *, name: str) -> Outcome:
    match answer.head:
        case {"facts": dict() as facts}:
            return Outcome(facts, answer.blobs)
        case {"refusal": str() as kind, "data": dict() as data}:
            raise revived(kind, data, name=name)
        case {"limit": "memory"}:
            raise SoundTooCostly(name=name, resource=clause("memory"))
        case {"crash": str() as trace, "problem": str() as problem}:
            logger.error("Sealed work on %r failed:\n%s", name, trace)
            raise DecoderDied(name=name, problem=problem)
        case _:
            raise DecoderDied(name=name, problem=clause("its answer makes no sense"))


def revived(kind: str, data: dict[str, Any], *, name: str) -> AppError:
    """Make the child's refusal ours, if it is one and its sentence can be said with its data."""
    try:
        refusal = REFUSALS[kind](**data)
        str(refusal)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError):
        return DecoderDied(name=name, problem=clause("its answer makes no sense"))
    return refusal


@contextmanager
def _descriptor(file: BinaryIO) -> Iterator[int]:
    """Give the file's own descriptor, or one of a temporary copy if it has none, as something in memory."""
    try:
        number = file.fileno()
    except (OSError, AttributeError):
        position = file.tell()
        with tempfile.TemporaryFile() as copy:
            file.seek(0)
            shutil.copyfileobj(file, copy, 2**20)
            file.seek(position)
            copy.flush()
            yield copy.fileno()
    else:
        yield number


_household = Household()
os.register_at_fork(after_in_child=_household.forget)
