"""Read-only admin of results."""

from django.contrib import admin

from analysis.models import Result
from core.admin import ReadOnlyAdmin

admin.site.register(Result, ReadOnlyAdmin)
