"""Looking at what is asked and answered in Django's admin."""

from django.contrib import admin

from core.admin import ReadOnlyAdmin
from rating.models import Ballot, Consent, Experiment, Refusal, Score, Slot, SoundFetch, Trial, Vote

admin.site.register([Ballot, Consent, Experiment, Refusal, Score, Slot, SoundFetch, Trial, Vote], ReadOnlyAdmin)
