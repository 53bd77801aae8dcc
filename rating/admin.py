"""Read-only admin of experiments, ballots and votes."""

from django.contrib import admin

from core.admin import ReadOnlyAdmin
from rating.models import (
    Ballot,
    Collaborator,
    Consent,
    Experiment,
    RejectedVote,
    Score,
    Slot,
    SoundFetch,
    TextVersion,
    Trial,
    Vote,
)

admin.site.register(
    [Ballot, Collaborator, Consent, Experiment, RejectedVote, Score, Slot, SoundFetch, TextVersion, Trial, Vote],
    ReadOnlyAdmin,
)
