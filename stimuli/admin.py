"""Looking at what is heard in Django's admin."""

from django.contrib import admin

from core.admin import ReadOnlyAdmin
from stimuli.models import Chunk, Collection, Condition, Import, ImportFile, Item, Recording, Stimulus

admin.site.register([Chunk, Collection, Condition, Import, ImportFile, Item, Recording, Stimulus], ReadOnlyAdmin)
