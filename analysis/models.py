"""Model of computed results."""

from django.db import models

from core.models import BaseModel
from rating.models import Experiment


class Result(BaseModel):
    """What a method made of an experiment's votes; staleness is a comparison of what counted then and counts now.

    Votes are only ever added, ballots only ever given up or finished, exclusions only ever made or lifted, so that the
    counts together name one state.
    """

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="results")
    method = models.SlugField()
    method_version = models.CharField(max_length=20)
    simulated = models.BooleanField(default=False)  # whether simulated ballots are included
    vote_count = models.PositiveIntegerField()
    abandoned_count = models.PositiveIntegerField(default=0)  # ballots left out because they were given up
    finished_count = models.PositiveIntegerField(default=0)  # the last page of a ballot may be left out without a vote
    exclusion_count = models.PositiveIntegerField(default=0)  # made and lifted, each counted
    table = models.JSONField()
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(name="result_once", fields=["experiment", "method", "simulated"])]

    def __str__(self) -> str:
        return f"{self.experiment.slug} {self.method}"
