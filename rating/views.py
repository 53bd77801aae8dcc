"""Views of experiments, for experimenters."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.errors import AppError
from core.http_errors import error_message
from core.languages import language_choices
from core.permissions import Audience, requires, staff
from rating.forms import ColleagueForm, ExperimentForm, OptionsForm, ReasonForm
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services import experiments as services
from rating.services.experiments import experiment_for

CHANGES = {
    "live": services.go_live,
    "pause": services.pause,
    "close": services.close,
    "draft": services.return_to_draft,
}


@require_GET
@requires(Audience.STAFF)
def experiments(request: HttpRequest) -> HttpResponse:
    listed = Experiment.objects.visible_to(staff(request)).select_related("owner", "collection").with_counts()
    return render(request, "rating/experiments.html", {"experiments": listed.newest_first()})


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def new_experiment(request: HttpRequest) -> HttpResponse:
    chosen = {"collection": request.GET.get("collection", "")}
    form = ExperimentForm(request.POST or None, user=staff(request), initial=chosen)
    if request.method == "POST" and form.is_valid():
        fields = dict(form.cleaned_data)
        protocol_slug, label_set = fields.pop("label_set").split("/", 1)
        try:
            experiment = services.create_experiment(
                owner=staff(request), protocol_slug=protocol_slug, label_set=label_set, **fields
            )
        except AppError as error:
            form.add_error(None, error_message(error))
        else:
            for warning in services.language_warnings(experiment):
                messages.warning(request, warning)
            return redirect("rating:experiment", slug=experiment.slug)
    return render(request, "rating/new_experiment.html", {"form": form})


@require_GET
@requires(Audience.STAFF)
def experiment(request: HttpRequest, slug: str) -> HttpResponse:
    shown = experiment_for(staff(request), slug)
    protocol = get_protocol(shown.protocol)
    context = {
        "experiment": shown,
        "protocol": protocol,
        "labels": protocol.label_set(shown.label_set),
        "language": dict(language_choices())[shown.language],
        "ballots": shown.ballots.counts_by_kind(),
        "collaborators": shown.collaborators.all(),
        "options_open": services.options_are_open(shown),
        "tab": "overview",
    }
    return render(request, "rating/experiment.html", context)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def options(request: HttpRequest, slug: str) -> HttpResponse:
    """See the protocol's options, and change them while the experiment is a draft without seats."""
    shown = experiment_for(staff(request), slug)
    protocol, fixed = get_protocol(shown.protocol), not services.options_are_open(shown)
    form = OptionsForm(
        request.POST or None, protocol=protocol, initial={**protocol.defaults, **shown.options}, fixed=fixed
    )
    if request.method == "POST" and form.is_valid():
        try:
            services.change_options(experiment=shown, options=form.cleaned_data, actor=staff(request))
        except AppError as error:
            option = error.data.get("option")
            form.add_error(option if option in form.fields else None, error_message(error))
        else:
            messages.success(request, _("The options are saved."))
            return redirect("rating:options", slug=slug)
    context = {"experiment": shown, "protocol": protocol, "form": form, "fixed": fixed, "tab": "overview"}
    return render(request, "rating/options.html", context)


@require_POST
@requires(Audience.STAFF)
def change_state(request: HttpRequest, slug: str, change: str) -> HttpResponse:
    experiment = experiment_for(staff(request), slug)
    try:
        CHANGES[change](experiment=experiment, actor=staff(request))
    except AppError as error:
        if change != "live":
            raise
        return _confirm_page(request, experiment, error)
    return redirect("rating:experiment", slug=slug)


@require_GET
@requires(Audience.STAFF)
def confirm_live(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask before everything is frozen, beside the list of what is done and what is not."""
    experiment = experiment_for(staff(request), slug)
    try:
        services.check_ready(experiment)
    except AppError as error:
        return _confirm_page(request, experiment, error, status=200)
    return _confirm_page(request, experiment)


def _confirm_page(
    request: HttpRequest, experiment: Experiment, error: AppError | None = None, *, status: int | None = None
) -> HttpResponse:
    context = {"experiment": experiment, "error": error_message(error) if error else "", "tab": "overview"}
    return render(request, "rating/confirm_live.html", context, status=status or (error.status if error else 200))


@require_POST
@requires(Audience.STAFF)
def share(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_for(staff(request), slug)
    name = ColleagueForm(request.POST).value("colleague")
    services.share(experiment=experiment, actor=staff(request), colleague_name=name)
    return redirect("rating:experiment", slug=slug)


@require_POST
@requires(Audience.STAFF)
def unblind(request: HttpRequest, slug: str) -> HttpResponse:
    form = ReasonForm(request.POST)
    services.unblind(experiment=experiment_for(staff(request), slug), actor=staff(request), reason=form.value("reason"))
    return redirect("analysis:results", slug=slug)
