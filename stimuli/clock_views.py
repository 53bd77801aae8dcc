"""The page on which an experimenter sets and corrects the clock of a recording."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from stimuli.clock_page import in_samples, in_times, shown_clock
from stimuli.errors.clock import ClockRefused
from stimuli.forms import ClockChangeForm, StartForm, Stretches, StretchForms
from stimuli.models import Recording, Stimulus
from stimuli.services import clocks
from stimuli.services.collections import collection_for, stimulus_in
from stimuli.services.intakes import may_import
from stimuli.services.sources import recording_of


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
    except ClockRefused as refusal:
        form.refuse(error_message(refusal))
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
