"""Looking at what is heard in Django's admin."""

from django.contrib import admin

from core.admin import ReadOnlyAdmin
from stimuli.models import Collection, Condition, Item, Recording, Stimulus

admin.site.register([Collection, Condition, Item, Recording, Stimulus], ReadOnlyAdmin)
