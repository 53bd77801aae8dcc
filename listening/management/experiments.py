"""Functions that commands about experiments share: find one and what it needs, print progress and findings."""

from django.core.management.base import CommandError, OutputWrapper

from core.models import User
from rating.models import Experiment


def experiment_called(slug: str) -> Experiment:
    found = Experiment.objects.select_related("collection", "owner").filter(slug=slug).first()
    if found is None:
        known = ", ".join(Experiment.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no experiment '{slug}'. Known: {known}.")
    return found


def account_called(name: str) -> User:
    found = User.objects.filter(username=name, is_active=True).first()
    if found is None:
        raise CommandError(f"There is no account '{name}'. Make it with manage.py create_account.")
    return found


class SeatsWritten:
    """Progress line of written seats, on a terminal only."""

    def __init__(self, stream: OutputWrapper) -> None:
        self._stream = stream

    def __call__(self, done: int, total: int, note: str) -> None:
        if self._stream.isatty():
            self._stream.write(f"\r\033[Kseats {done} of {total}" if done < total else "\r\033[K", ending="")
            self._stream.flush()


def listed(findings: list[dict[str, object]]) -> list[str]:
    """Findings of a design, one line each."""
    return [f"{found['verdict']:<5} {found['title']}: {found['value']}" for found in findings]
