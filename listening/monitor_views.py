"""The experimenter's pages that show how an experiment, or all of them, gets on."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from core.permissions import Audience, requires, staff
from listening.services import monitoring
from rating.models import Experiment
from rating.services.experiments import experiment_for


@require_GET
@requires(Audience.STAFF)
def monitor(request: HttpRequest, slug: str) -> HttpResponse:
    """Panels, seats, flags and missing cells; the page asks for `?part=live` again and again."""
    experiment = experiment_for(staff(request), slug)
    seen, names = monitoring.experiment_status(experiment=experiment, now=timezone.now()), _flag_names()
    lines = [line | {"flags": [names[flag] for flag in line["flags"]]} for line in seen["lines"]]
    context = {"experiment": experiment, "seen": seen | {"lines": lines}, "tab": "monitor"}
    return render(request, _template(request, "monitor"), context)


@require_GET
@requires(Audience.STAFF)
def monitor_all(request: HttpRequest) -> HttpResponse:
    """Every experiment that the reader may see and where people may be listening; an admin sees all."""
    running = Experiment.objects.visible_to(staff(request)).exclude(state=Experiment.State.DRAFT)
    rows = monitoring.all_statuses(experiments=running.select_related("owner").newest_first(), now=timezone.now())
    return render(request, _template(request, "monitor_all"), {"rows": rows})


def _template(request: HttpRequest, name: str) -> str:
    return f"listening/_{name}.html" if request.GET.get("part") == "live" else f"listening/{name}.html"


def _flag_names() -> dict[str, str]:
    return {
        "fast": _("Too fast"),
        "sooner": _("Sooner than the sound lasts"),
        "flat": _("Flat"),
        "level": _("Level at its end"),
        "muted": _("Heard nothing"),
        "hidden": _("Often hidden"),
        "stalls": _("Sound stalls"),
        "lost": _("Lost connection"),
        "clips": _("Clips failed"),
        "checks": _("Check not passed"),
        "lapsed": _("Lease ended"),
    }
