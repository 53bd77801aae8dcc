"""Read-only Django admin of stimuli."""

from django.contrib import admin

from core.admin import ReadOnlyAdmin
from stimuli.models import Chunk, Collection, Condition, Import, ImportFile, Item, Recording, Stimulus

admin.site.register([Chunk, Collection, Condition, Import, ImportFile, Item, Recording, Stimulus], ReadOnlyAdmin)
