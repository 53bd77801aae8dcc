"""Looking at who hears in Django's admin."""

from django.contrib import admin

from core.admin import ReadOnlyAdmin
from listening.models import Completion, Design, Invitation, Panel, Participant, Seat, Visit

admin.site.register([Completion, Design, Invitation, Panel, Participant, Seat, Visit], ReadOnlyAdmin)
