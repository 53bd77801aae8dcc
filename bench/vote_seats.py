"""`python -m bench.vote_seats COUNT`: a database with that many listeners in their seats; prints who they are."""

import json
import sys
from datetime import timedelta
from typing import Any

import django
from django.core.management import call_command
from django.db import connection

ITEMS, CONDITIONS = 16, 5  # 240 pages a listener


def main(count: int) -> None:
    django.setup()
    call_command("migrate", verbosity=0)
    listeners = _seated(count)
    if connection.vendor == "postgresql":
        connection.cursor().execute("ANALYZE")  # as it would itself within a minute
    print(json.dumps(listeners))


def _seated(count: int) -> list[dict[str, Any]]:
    from django.utils import timezone

    from listening.models import Invitation
    from listening.panels.services import panels
    from listening.participation.services import visits
    from rating.services.pages import record_all_fetches
    from tests.factories import make_experiment

    experiment = make_experiment(
        protocol="p835", label_set="p835-en-1", items=ITEMS, conditions=CONDITIONS, seats=count
    )
    now = timezone.now()
    panels.invite(panel=experiment.panels.get(), count=count, now=now, actor=None)
    listeners = []
    for invitation in Invitation.objects.select_related("panel__experiment", "seat"):
        visit = visits.claim_seat(invitation=invitation, now=now, device={})
        ballot = visit.seat.ballot
        record_all_fetches(ballot_id=ballot.pk, visit_id=visit.pk, now=now - timedelta(hours=1))
        listeners.append(
            {
                "visit": str(visit.pk),
                "ballot": str(ballot.pk),
                "session": _session_with(visit),
                "pages": [[str(pk), ask[0]] for pk, ask in ballot.trials.values_list("pk", "ask")],
            }
        )
    return listeners


def _session_with(visit: Any) -> str:
    """The cookie that a browser has once its participant agreed."""
    from django.contrib.sessions.backends.db import SessionStore
    from django.http import HttpRequest

    from listening.participation.access import admit

    request = HttpRequest()
    request.session = SessionStore()
    admit(request, visit)
    request.session.save()
    return str(request.session.session_key)


if __name__ == "__main__":
    main(int(sys.argv[1]))
