"""Pages of one sound: the viewer with all that it fetches, and the clock of the recording."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from audio.clock import Stretch
from audio.sandbox.client import start_fork_server
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from stimuli import responses
from stimuli.forms import ClockChangeForm, StartForm, Stretches, StretchForms
from stimuli.models import Recording, Stimulus
from stimuli.services import clocks, delivery
from stimuli.services.clocks import DAY_S, ClockUnfit, Origin, clock_of, origin_of
from stimuli.services.collections import collection_for, may_import, stimulus_in
from stimuli.services.sources import Source, is_long, recording_of, source_for_staff
from stimuli.times_of_day import written


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
        "former": stimulus.former_recordings.select_related("recording", "replaced_by"),
        "title": f"{stimulus.item} × {stimulus.condition}",
        "sound_base": reverse("stimuli:sound", args=[slug, stimulus_id]),
    }
    return render(request, "stimuli/sound.html", context)


@require_safe
@requires(Audience.STAFF)
def clip(request: HttpRequest, slug: str, stimulus_id: UUID) -> HttpResponseBase:
    """A short sound as participants hear it."""
    return responses.send_clip(request, delivery.clip_name(source=_source(request, slug, stimulus_id)))


@require_safe
@requires(Audience.STAFF)
def manifest(request: HttpRequest, slug: str, stimulus_id: UUID) -> HttpResponseBase:
    source = _source(request, slug, stimulus_id)
    return responses.send_manifest(source, **delivery.measured(source=source))


@require_safe
@requires(Audience.STAFF)
def peaks(request: HttpRequest, slug: str, stimulus_id: UUID, level: int) -> HttpResponseBase:
    return responses.send_peaks(request, _source(request, slug, stimulus_id), level)


@require_safe
@requires(Audience.STAFF)
def peaks_file(request: HttpRequest, slug: str, stimulus_id: UUID, level: int) -> HttpResponseBase:
    """One level of the peaks as a whole file, which audiowaveform, peaks.js and wavesurfer.js read."""
    return responses.send_peaks_file(_source(request, slug, stimulus_id), level)


@require_safe
@requires(Audience.STAFF)
def tile(
    request: HttpRequest, slug: str, stimulus_id: UUID, statistic: str, level: int, index: int
) -> HttpResponseBase:
    return responses.send_tile(_source(request, slug, stimulus_id), statistic, level, index)


@require_safe
@requires(Audience.STAFF)
def slice_(request: HttpRequest, slug: str, stimulus_id: UUID) -> HttpResponseBase:
    return responses.send_slice(request, _source(request, slug, stimulus_id))


def _stimulus(request: HttpRequest, slug: str, stimulus_id: UUID) -> Stimulus:
    return stimulus_in(collection_for(staff(request), slug), stimulus_id)


def _source(request: HttpRequest, slug: str, stimulus_id: UUID) -> Source:
    return source_for_staff(_stimulus(request, slug, stimulus_id))


# --- Clock ------------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def clock(request: HttpRequest, slug: str, stimulus_id: UUID) -> HttpResponse:
    """Show the stretches, and take one of four changes: the start, the stretches, one stretch, or what was detected."""
    stimulus = stimulus_in(collection_for(staff(request), slug), stimulus_id)
    recording = recording_of(stimulus)
    rate = recording.sample_rate_hz
    start = StartForm(initial={"starts_at": stimulus.starts_at_s or 0.0})
    stretches = StretchForms(initial=in_times(clocks.clock_of(stimulus), rate))
    if request.method == "POST":
        change = ClockChangeForm(request.POST).value("change")
        if change == ClockChangeForm.START:
            start = StartForm(request.POST)
        elif change == ClockChangeForm.STRETCHES:
            stretches = StretchForms(request.POST)
        if _is_changed(request, stimulus, change, start, stretches, rate):
            messages.success(request, _("The clock is saved."))
            return redirect("stimuli:clock", slug=slug, stimulus_id=stimulus_id)
    return render(request, "stimuli/clock.html", _context(request, stimulus, recording, start, stretches))


def _is_changed(
    request: HttpRequest, stimulus: Stimulus, change: str, start: StartForm, stretches: Stretches, rate: int
) -> bool:
    """Carry the change out; what is wrong with it stands in its form then."""
    form = start if change == ClockChangeForm.START else stretches
    if form.is_bound and not form.is_valid():
        return False
    wanted: dict[str, Any] = {"stimulus": stimulus, "actor": staff(request)}
    try:
        match change:
            case ClockChangeForm.START:
                clocks.set_start(**wanted, starts_at_s=start.cleaned_data["starts_at"])
            case ClockChangeForm.STRETCHES:
                clocks.correct_clock(**wanted, stretches=[in_samples(row, rate) for row in stretches.kept()])
            case ClockChangeForm.ONE_STRETCH:
                clocks.use_one_stretch(**wanted)
            case _:
                clocks.use_detected(**wanted)
    except ClockUnfit as error:
        form.reject(error_message(error))
        return False
    return True


def _context(
    request: HttpRequest, stimulus: Stimulus, recording: Recording, start: StartForm, stretches: Stretches
) -> dict[str, Any]:
    collection = stimulus.item.collection
    return {
        "collection": collection,
        "stimulus": stimulus,
        "title": f"{stimulus.item} × {stimulus.condition}",
        "clock": shown_clock(stimulus, recording),
        "start": start,
        "stretches": stretches,
        "may_correct": may_import(collection=collection, person=staff(request)),
    }


def shown_clock(stimulus: Stimulus, recording: Recording) -> dict[str, Any] | None:
    """The clock in words; None for a clip without a time of day."""
    stretches, origin = clock_of(stimulus), origin_of(stimulus)
    if not stretches and not is_long(recording):
        return None
    return {
        "origin": origin.value,
        "says": _said()[origin],
        "starts_at": written(stimulus.starts_at_s or 0),
        "rows": [_row(one, recording.sample_rate_hz) for one in stretches],
        "is_corrected": origin is Origin.CORRECTED,
        "detected_count": len(recording.clock),
    }


def in_times(stretches: Sequence[Stretch], rate: int) -> list[dict[str, float]]:
    """The stretches as they are filled in, in seconds."""
    return [{"start": one.start / rate, "stop": one.stop / rate, "clock": one.clock_s} for one in stretches]


def in_samples(times: dict[str, float], rate: int) -> Stretch:
    return Stretch(round(times["start"] * rate), round(times["stop"] * rate), times["clock"])


def _row(one: Stretch, rate: int) -> dict[str, Any]:
    days, clock_s = divmod(one.clock_s, DAY_S)
    times = {"start": written(one.start / rate), "stop": written(one.stop / rate), "clock": written(clock_s)}
    return {**times, "days": int(days)}


def _said() -> dict[Origin, str]:
    return {
        Origin.CORRECTED: _("Corrected by hand."),
        Origin.DETECTED: _("Detected: silences recur every hour."),
        Origin.UNBROKEN: _("No silences recur every hour, so the clock runs through from the start."),
        Origin.AWAITED: _("The recording is still being prepared; its clock is known when the last part is done."),
        Origin.NONE: _("Nobody has said when the recording began, and no silences recur every hour."),
    }
