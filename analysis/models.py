"""Models of computed results, and of objective metrics that stand beside them."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.models import BaseModel
from rating.models import Experiment


class Result(BaseModel):
    """What a method made of an experiment's votes; staleness is a comparison of what counted then and counts now.

    Votes are only ever added, ballots only ever given up or finished, exclusions only ever made or lifted, so that the
    counts together name one state. The main tables are stored as soon as they are known. Until the further ones follow,
    these are still of the votes before, and the result is not complete.
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
    further = models.JSONField(default=dict)  # tables that take longer: adjusted models, screening
    complete = models.BooleanField(default=True)  # whether the further tables are of the same votes
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(name="result_once", fields=["experiment", "method", "simulated"])]

    def __str__(self) -> str:
        return f"{self.experiment.slug} {self.method}"

    @property
    def tables(self) -> dict[str, Any]:
        """Every table by name."""
        return {**self.further, **self.table}


class MetricTable(BaseModel):
    """Values of objective metrics that a person uploaded for an experiment; another upload takes its place.

    Names are as they came: to which clips they belong is found where they are read.
    """

    class By(models.TextChoices):
        FILE = "file"
        CONDITION = "condition"

    experiment = models.OneToOneField(Experiment, on_delete=models.CASCADE, related_name="metric_table")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    after_unblinding = models.BooleanField()  # whether conditions were known by name when it was uploaded
    file_name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    by = models.CharField(max_length=10, choices=By)
    metrics = models.JSONField()  # names in the order of the table
    rows = models.JSONField()  # of each file or condition: its name and values by metric

    class Meta:
        constraints = [models.CheckConstraint(name="metric_table_by_known", condition=Q(by__in=["file", "condition"]))]

    def __str__(self) -> str:
        return f"{self.experiment.slug} {self.file_name}"


class ReportPdf(BaseModel):
    """The report of an experiment as PDF, as it stood when a person asked for it; the next one takes its place."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="report_pdfs")
    simulated = models.BooleanField(default=False)  # whether simulated ballots are included
    language = models.CharField(max_length=10)
    asked_at = models.DateTimeField()
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(name="report_pdf_once", fields=["experiment", "simulated", "language"])]

    def __str__(self) -> str:
        return f"{self.experiment.slug} {self.language} {self.asked_at:%Y-%m-%d %H:%M}"
