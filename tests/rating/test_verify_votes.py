"""manage.py verify_votes: a broken chain is named, a whole one counted."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from rating.models import Ballot
from rating.services.votes import cast_vote
from tests.factories import seated_visit, vote_event

pytestmark = pytest.mark.django_db


def test_whole_chains_are_counted_and_a_broken_one_is_named() -> None:
    ballot = seated_visit().seat.ballot
    for trial in ballot.trials.all():
        cast_vote(ballot_id=ballot.id, event=vote_event(trial))
    said = StringIO()
    call_command("verify_votes", stdout=said)
    assert said.getvalue() == "4 votes on 1 ballots, every chain holds.\n"
    Ballot.objects.filter(pk=ballot.pk).update(vote_count=3)
    with pytest.raises(CommandError, match=str(ballot.pk)[:8]):
        call_command("verify_votes", experiment=ballot.experiment.slug)
    call_command("verify_votes", experiment="another", stdout=said)
