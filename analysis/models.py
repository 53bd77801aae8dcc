"""Rows of what it means."""

from django.db import models

from core.models import BaseModel
from rating.models import Ballot, Experiment


class Result(BaseModel):
    """What a method made of an experiment's votes; staleness is a comparison of what counted then and counts now.

    Votes are only ever added, ballots only ever given up or finished, so the counts together name one state.
    """

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="results")
    method = models.SlugField()
    method_version = models.CharField(max_length=20)
    simulated = models.BooleanField(default=False)  # whether simulated ballots are included
    vote_count = models.PositiveIntegerField()
    abandoned_count = models.PositiveIntegerField(default=0)  # ballots left out because they were given up
    finished_count = models.PositiveIntegerField(default=0)  # the last page of a ballot may be left out without a vote
    table = models.JSONField()
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(name="result_once", fields=["experiment", "method", "simulated"])]

    def __str__(self) -> str:
        return f"{self.experiment.slug} {self.method}"


class FoldedBallot(BaseModel):
    """A ballot's current marks as bytes, so that a recompute reads few large rows; it can always be folded again.

    It is stale when the ballot holds more votes, or when the codes of the experiment's stimuli mean something else.
    """

    ballot = models.OneToOneField(Ballot, on_delete=models.CASCADE, related_name="folded")
    vote_count = models.PositiveIntegerField()
    codebook = models.CharField(max_length=64)
    columns = models.BinaryField()

    def __str__(self) -> str:
        return f"fold of {self.ballot_id}"
