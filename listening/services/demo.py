"""The demo: accounts with passwords made on the spot, one experiment for every protocol that has one, a fresh link."""

import json
from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec

from django.conf import settings
from django.db import transaction

from core.models import User
from core.services.accounts import create_account, random_password
from listening.models import Panel
from listening.services import panels
from rating.models import Ballot, Experiment
from rating.registry import protocols

EXPERIMENTER = "demo"
ADMIN = "demo-admin"


@transaction.atomic
def create_demo() -> list[Experiment]:
    """Build what is missing of the demo and return the experiments that were made."""
    owner = _account(EXPERIMENTER, User.Role.EXPERIMENTER)
    _account(ADMIN, User.Role.ADMIN)
    return [
        build(owner=owner)
        for slug, build in _builders().items()
        if not Experiment.objects.filter(protocol=slug, owner=owner).exists()
    ]


def is_empty() -> bool:
    return not User.objects.exists() and not Experiment.objects.exists()


@transaction.atomic
def fresh_links(*, now: datetime) -> dict[str, str]:
    """Make one new participant link for each live demo experiment, adding a seat where all are taken."""
    return {
        experiment.title: panels.link(
            panels.invite(panel=_panel_with_room(experiment), count=1, now=now, actor=None)[0]
        )
        for experiment in Experiment.objects.filter(owner__username=EXPERIMENTER, state=Experiment.State.LIVE)
        if experiment.panels.exists()
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


def _builders() -> dict[str, Callable[..., Experiment]]:
    """Find the demo of each registered protocol; a protocol without a demo is no defect."""
    names = {slug: f"listening.demos.{slug.replace('-', '_')}" for slug in protocols()}
    return {slug: import_module(name).build for slug, name in names.items() if find_spec(name)}


def _panel_with_room(experiment: Experiment) -> Panel:
    main = experiment.panels.filter(seats__ballot__kind=Ballot.Kind.MAIN).distinct()
    panel = main.filter(seats__state="open", seats__ballot__kind=Ballot.Kind.MAIN).first()
    if panel is None:
        panel = main.get(number=1)
        panels.add_seats(panel=panel, count=1)
    return panel
