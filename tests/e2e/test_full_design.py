"""The whole of a UDASE-shaped test, 32 listeners by program over HTTP: every cell filled, and the truth recovered."""

from collections import Counter
from itertools import permutations
from random import Random

import pytest
from django.db.models import Count
from django.utils import timezone

from analysis.services.results import read_result
from analysis.tasks import refresh_stale_results
from core.jobs import enqueue
from listening.panels.services.simulation import simulate
from protocols.p835 import demo
from protocols.p835.protocol import WEIGHTS
from rating.models import Ballot, Score, Trial
from rating.services.experiments import condition_names
from rating.services.votes import chain_holds
from tests.e2e.conftest import Platform
from tests.factories import make_user
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.django_db(transaction=True)]

LISTENERS, AT_ONCE = 32, 4
CLEAR = 0.3  # between two centres: less can be turned round by chance
SCALES, CONDITIONS = ("SIG", "BAK", "OVRL"), ("C0", "C1", "C2", "C3", "C4")


def truth(condition: str, scale: str) -> float:
    """Where the bots of the protocol have their centre for a condition; the whole follows from its parts."""
    if scale == "OVRL":
        return sum(weight * truth(condition, part) for part, weight in WEIGHTS.items())
    return Random(f"{condition} {scale}").uniform(1, 5)


def test_32_simulated_listeners_fill_every_cell_and_the_order_of_the_conditions_comes_back(platform: Platform) -> None:
    experiment = demo.build(owner=make_user())
    receipts = list(
        simulate(
            experiment=experiment,
            listeners=LISTENERS,
            seed="1",
            server=platform.address,
            now=timezone.now(),
            at_once=AT_ONCE,
            fetches_sound=False,  # each clip three times, by 32 listeners: other tests fetch sound
        )
    )
    assert [receipt["vote_count"] for receipt in receipts] == [492] * LISTENERS
    ballots = Ballot.objects.filter(experiment=experiment, kind=Ballot.Kind.SIMULATED)
    assert Trial.objects.filter(ballot__in=ballots).count() == 15_744

    scores = Score.objects.filter(vote__ballot__in=ballots, vote__current_for__isnull=False)
    rated = scores.filter(vote__trial__kind="test")
    assert (rated.count(), scores.count() - rated.count()) == (15_360, 384)
    cells = rated.values("slot__stimulus", "scale").annotate(votes=Count("pk"))
    assert Counter(cell["votes"] for cell in cells) == {8: 128 * 5 * 3}
    by_condition = rated.values_list("slot__stimulus__condition__name", "scale").annotate(Count("pk"))
    assert {votes for _, _, votes in by_condition} == {1024}

    enqueue(refresh_stale_results)
    wait_until(lambda: not read_result(experiment=experiment, slug="mos", simulated=True)["stale"])
    rows = read_result(experiment=experiment, slug="mos", simulated=True)["table"]["rows"]
    names = condition_names(experiment)
    for scale in SCALES:
        means = {row["condition"]: row["mos"] for row in rows if row["scale"] == scale}
        centres = {condition: truth(condition, scale) for condition in CONDITIONS}
        apart = [(low, high) for low, high in permutations(CONDITIONS, 2) if centres[high] - centres[low] > CLEAR]
        assert len(apart) >= 5, scale
        assert [pair for pair in apart if means[names[pair[0]]] >= means[names[pair[1]]]] == [], scale
    assert read_result(experiment=experiment, slug="mos", simulated=False)["vote_count"] == 0
    assert all(chain_holds(ballot=ballot) for ballot in ballots)
