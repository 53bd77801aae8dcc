"""The experimenter's pages of collections."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from core.policy import Audience, open_to, staff
from stimuli.models import Collection
from stimuli.services.collections import collection_for, matrix, stimulus_in


@require_GET
@open_to(Audience.STAFF)
def collections(request: HttpRequest) -> HttpResponse:
    listed = Collection.objects.visible_to(staff(request)).with_counts()
    return render(request, "stimuli/collections.html", {"collections": listed})


@require_GET
@open_to(Audience.STAFF)
def collection(request: HttpRequest, slug: str) -> HttpResponse:
    shown = collection_for(staff(request), slug)
    conditions, rows = matrix(collection=shown)
    return render(request, "stimuli/collection.html", {"collection": shown, "conditions": conditions, "rows": rows})


@require_GET
@open_to(Audience.STAFF)
def listen(request: HttpRequest, slug: str, stimulus_id: UUID) -> HttpResponse:
    """One cell's sound, for the experimenter's ears."""
    stimulus = stimulus_in(collection_for(staff(request), slug), stimulus_id)
    with stimulus.recording.file.open() as file:
        return HttpResponse(file.read(), content_type="audio/wav", headers={"Cache-Control": "private, no-store"})
