"""The experimenter's view of one sound: its page, and everything that the viewer on it fetches."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_safe

from audio.sandbox.client import start_fork_server
from core.permissions import Audience, requires, staff
from stimuli import sound_http
from stimuli.clock_page import shown_clock
from stimuli.models import Stimulus
from stimuli.services import delivery
from stimuli.services.collections import collection_for, stimulus_in
from stimuli.services.intakes import may_import
from stimuli.services.sources import Source, recording_of, source_for_staff


@require_GET
@requires(Audience.STAFF)
def sound(request: HttpRequest, slug: str, stimulus_id: UUID) -> HttpResponse:
    """The page with the viewer."""
    start_fork_server()  # what the viewer asks for in a moment may have to be drawn
    stimulus = _stimulus(request, slug, stimulus_id)
    recording = recording_of(stimulus)
    context = {
        "collection": stimulus.item.collection,
        "stimulus": stimulus,
        "recording": recording,
        "clock": shown_clock(stimulus, recording),
        "may_correct": may_import(collection=stimulus.item.collection, person=staff(request)),
        "title": f"{stimulus.item} × {stimulus.condition}",
        "sound_base": reverse("stimuli:sound", args=[slug, stimulus_id]),
    }
    return render(request, "audio.html", context)


@require_safe
@requires(Audience.STAFF)
def clip(request: HttpRequest, slug: str, stimulus_id: UUID) -> HttpResponseBase:
    """A short sound as participants hear it."""
    return sound_http.send_clip(request, delivery.clip_name(source=_source(request, slug, stimulus_id)))


@require_safe
@requires(Audience.STAFF)
def manifest(request: HttpRequest, slug: str, stimulus_id: UUID) -> HttpResponseBase:
    source = _source(request, slug, stimulus_id)
    return sound_http.send_manifest(source, **delivery.measured(source=source))


@require_safe
@requires(Audience.STAFF)
def peaks(request: HttpRequest, slug: str, stimulus_id: UUID, level: int) -> HttpResponseBase:
    return sound_http.send_peaks(request, _source(request, slug, stimulus_id), level)


@require_safe
@requires(Audience.STAFF)
def peaks_file(request: HttpRequest, slug: str, stimulus_id: UUID, level: int) -> HttpResponseBase:
    """One level of the peaks as a whole file, which audiowaveform, peaks.js and wavesurfer.js read."""
    return sound_http.send_peaks_file(_source(request, slug, stimulus_id), level)


@require_safe
@requires(Audience.STAFF)
def tile(
    request: HttpRequest, slug: str, stimulus_id: UUID, statistic: str, level: int, index: int
) -> HttpResponseBase:
    return sound_http.send_tile(_source(request, slug, stimulus_id), statistic, level, index)


@require_safe
@requires(Audience.STAFF)
def slice_(request: HttpRequest, slug: str, stimulus_id: UUID) -> HttpResponseBase:
    return sound_http.send_slice(request, _source(request, slug, stimulus_id))


def _stimulus(request: HttpRequest, slug: str, stimulus_id: UUID) -> Stimulus:
    return stimulus_in(collection_for(staff(request), slug), stimulus_id)


def _source(request: HttpRequest, slug: str, stimulus_id: UUID) -> Source:
    return source_for_staff(_stimulus(request, slug, stimulus_id))
