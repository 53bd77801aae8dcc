"""Rows of what it means."""

from django.db import models

from core.models import BaseModel
from rating.models import Experiment


class Result(BaseModel):
    """What a method made of an experiment's votes; `vote_count` says up to which vote; staleness is a comparison."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="results")
    method = models.SlugField()
    method_version = models.CharField(max_length=20)
    simulated = models.BooleanField(default=False)  # whether simulated ballots are included
    vote_count = models.PositiveIntegerField()
    table = models.JSONField()
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(name="result_once", fields=["experiment", "method", "simulated"])]

    def __str__(self) -> str:
        return f"{self.experiment.slug} {self.method}"
