"""Read-only admin of panels, seats and visits."""

from django.contrib import admin

from core.admin import ReadOnlyAdmin
from listening.models import Completion, Design, Exclusion, Invitation, Panel, Participant, Seat, Visit

admin.site.register([Completion, Design, Exclusion, Invitation, Panel, Participant, Seat, Visit], ReadOnlyAdmin)
