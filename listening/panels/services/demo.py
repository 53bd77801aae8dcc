"""Demo: two accounts with random passwords, one experiment for each protocol that has a demo, fresh links."""

import json
from datetime import datetime
from importlib import import_module
from types import ModuleType

from django.conf import settings
from django.db import transaction

from core.jobs import JobRun, enqueue, job
from core.models import Job, User
from core.services.accounts import create_account, random_password
from listening.models import Panel, Seat
from listening.panels.services import panels
from rating.models import Ballot, Experiment
from rating.registry import module_of, protocols

EXPERIMENTER = "demo"
ADMIN = "demo-admin"
LONG = "TAKES_LONG"  # set by the module of a demo that takes more than a second or two


def create_demo(*, long_ones: bool = False) -> list[Experiment]:
    """Build what is missing of the demo and return it; slow parts only with `long_ones`."""
    owner = create_accounts()
    return [builder.build(owner=owner) for builder in _missing(owner) if long_ones or not getattr(builder, LONG, False)]


def create_accounts() -> User:
    """Make the experimenter and the admin of the demo where they are missing; returns the experimenter."""
    owner = _account(EXPERIMENTER, User.Role.EXPERIMENTER)
    _account(ADMIN, User.Role.ADMIN)
    return owner


def build_later() -> None:
    """Leave what takes long to the worker."""
    for builder in _missing(User.objects.get(username=EXPERIMENTER)):
        enqueue(build_demo, key=f"demo {builder.__name__}", module=builder.__name__)


@job(queue="bulk")
def build_demo(*, run: JobRun, module: str) -> None:
    """Build one part of the demo; a run that was cut short goes on where it was."""
    run.progress(0, 1, "")
    import_module(module).build(owner=User.objects.get(username=EXPERIMENTER))


def is_being_built() -> bool:
    """Whether the worker still has a part of the demo to make."""
    return Job.objects.filter(name=build_demo.name, state__in=[Job.State.QUEUED, Job.State.RUNNING]).exists()


def is_empty() -> bool:
    return not User.objects.exists() and not Experiment.objects.exists()


@transaction.atomic
def fresh_links(*, now: datetime) -> dict[str, str]:
    """Make one new participant link for each live demo experiment, adding a seat where all are taken."""
    live = Experiment.objects.filter(owner__username=EXPERIMENTER, state=Experiment.State.LIVE).order_by("created_at")
    by_title = {
        experiment.title: _panel_with_free_seat(experiment) for experiment in live if experiment.panels.exists()
    }
    return {
        title: panels.link(panels.invite(panel=panel, count=1, now=now, actor=None)[0])
        for title, panel in by_title.items()
        if panel is not None
    }


def logins() -> dict[str, str]:
    """The demo accounts that still have the password they were made with."""
    path = settings.DATA_DIR / "demo-logins.json"
    known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    users = {user.username: user for user in User.objects.filter(username__in=known)}
    return {
        name: password for name, password in known.items() if name in users and users[name].check_password(password)
    }


def _account(name: str, role: User.Role) -> User:
    user = User.objects.filter(username=name).first()
    if user is not None:
        return user
    password = random_password()
    path = settings.DATA_DIR / "demo-logins.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    path.touch(mode=0o600)
    path.write_text(json.dumps(known | {name: password}))
    return create_account(name=name, role=role, password=password, actor=None)


def _missing(owner: User) -> list[ModuleType]:
    """The demos of registered protocols that are not open yet; a protocol without a demo is no defect."""
    open_ones = set(Experiment.objects.filter(owner=owner).exclude(state="draft").values_list("protocol", flat=True))
    demos = [module_of(slug, "demo") for slug in protocols() if slug not in open_ones]
    return [demo for demo in demos if demo]


def _panel_with_free_seat(experiment: Experiment) -> Panel | None:
    """A panel with a free seat; where none has one, a seat is added, unless the seats come from a design."""
    main = experiment.panels.filter(seats__ballot__kind=Ballot.Kind.MAIN).distinct()
    panel = main.filter(seats__state=Seat.State.OPEN, seats__ballot__kind=Ballot.Kind.MAIN).first()
    if panel is None and not hasattr(experiment, "design"):
        panel = main.get(number=1)
        panels.add_seats(panel=panel, count=1)
    return panel
