"""Read-only admin of results and tables of metrics."""

from django.contrib import admin

from analysis.models import MetricTable, Result
from core.admin import ReadOnlyAdmin

admin.site.register([MetricTable, Result], ReadOnlyAdmin)
