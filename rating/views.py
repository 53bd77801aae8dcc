"""Views of experiments, for experimenters."""

import json

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.errors import AppError
from core.forms import ValidatedForm
from core.http_errors import error_message, malformed_request
from core.languages import language_choices
from core.models import User
from core.permissions import Audience, requires, staff
from core.templatetags.markdown import markdown
from rating.forms import LONGEST_TEXT, AmendmentForm, ColleagueForm, ExperimentForm, OptionsForm, ReasonForm
from rating.models import Experiment, TextVersion
from rating.registry import get_protocol
from rating.services import experiments as services
from rating.services.editing import amend_texts, edit_experiment
from rating.services.experiments import experiment_for
from rating.services.texts import consent_counts, published_texts

CHANGES = {
    "live": services.go_live,
    "pause": services.pause,
    "close": services.close,
    "draft": services.return_to_draft,
}
# The field of a form that an error is shown beside; others stand above the form.
FIELD_OF_ERROR = {
    "experiment.slug_taken": "slug",
    "experiment.unknown_label_set": "label_set",
    "experiment.unknown_language": "language",
    "experiment.seats_exist": "collection",
}


@require_GET
@requires(Audience.STAFF)
def experiments(request: HttpRequest) -> HttpResponse:
    listed = Experiment.objects.visible_to(staff(request)).select_related("owner", "collection").with_counts()
    return render(request, "rating/experiments.html", {"experiments": listed.newest_first()})


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def new_experiment(request: HttpRequest) -> HttpResponse:
    form = ExperimentForm(request.POST or None, user=staff(request))
    if request.method == "POST" and "preview" not in request.POST and form.is_valid():
        fields = form.values()
        try:
            made = services.create_experiment(owner=staff(request), protocol_slug=fields.pop("protocol"), **fields)
        except AppError as error:
            _place_error(form, error)
        else:
            _warn(request, made)
            return redirect("rating:experiment", slug=made.slug)
    return render(request, "rating/new_experiment.html", {"form": form})


def _place_error(form: ValidatedForm, error: AppError) -> None:
    """Show an error beside the field that it is about, if the form has one."""
    field = error.data.get("option") or FIELD_OF_ERROR.get(error.code)
    form.add_error(field if field in form.fields else None, error_message(error))


def _warn(request: HttpRequest, experiment: Experiment) -> None:
    for warning in services.language_warnings(experiment) + services.title_warnings(experiment, reader=staff(request)):
        messages.warning(request, warning)


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
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that can be changed about an experiment, on one page; POST changes its fields or amends its texts."""
    shown = experiment_for(staff(request), slug)
    if request.method == "GET":
        return _settings_page(request, shown)
    form = _fields_form(staff(request), shown, request.POST)
    if "preview" not in request.POST and form.is_valid():
        change = edit_experiment if shown.state == Experiment.State.DRAFT else amend_texts
        try:
            edited = change(experiment=shown, actor=staff(request), **form.values())
        except AppError as error:
            _place_error(form, error)
        else:
            messages.success(request, _("The settings are saved."))
            _warn(request, edited)
            return redirect("rating:settings", slug=edited.slug)
    return _settings_page(request, shown, fields_form=form)


@require_POST
@requires(Audience.STAFF)
def preview_text(request: HttpRequest) -> HttpResponse:
    """The HTML that participants would see of a text."""
    try:
        text = json.loads(request.body)["text"]
    except (ValueError, KeyError, TypeError):
        raise malformed_request() from None
    return HttpResponse(markdown(str(text)[:LONGEST_TEXT]))


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def options(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the protocol's options while the experiment is a draft without seats."""
    shown = experiment_for(staff(request), slug)
    if request.method == "GET":
        return redirect(f"{reverse('rating:settings', args=[slug])}#options")
    form = _options_form(shown, request.POST)
    if form.is_valid():
        try:
            services.change_options(experiment=shown, options=form.cleaned_data, actor=staff(request))
        except AppError as error:
            _place_error(form, error)
        else:
            messages.success(request, _("The options are saved."))
            return redirect("rating:settings", slug=slug)
    return _settings_page(request, shown, options_form=form)


def _fields_form(user: User, experiment: Experiment, data: QueryDict | None = None) -> ExperimentForm | AmendmentForm:
    if experiment.state != Experiment.State.DRAFT:
        return AmendmentForm(data, experiment=experiment)
    fixed = not services.options_are_open(experiment)
    return ExperimentForm(data, user=user, experiment=experiment, material_fixed=fixed)


def _options_form(experiment: Experiment, data: QueryDict | None = None) -> OptionsForm:
    protocol, fixed = get_protocol(experiment.protocol), not services.options_are_open(experiment)
    initial = {**protocol.defaults, **experiment.options}
    return OptionsForm(data, protocol=protocol, initial=initial, fixed=fixed, auto_id="option_%s")


def _settings_page(
    request: HttpRequest,
    experiment: Experiment,
    *,
    fields_form: ExperimentForm | AmendmentForm | None = None,
    options_form: OptionsForm | None = None,
) -> HttpResponse:
    context = {
        "experiment": experiment,
        "protocol": get_protocol(experiment.protocol),
        "fields_form": fields_form or _fields_form(staff(request), experiment),
        "options_form": options_form or _options_form(experiment),
        "options_open": services.options_are_open(experiment),
        "versions": _shown_versions(experiment),
        "tab": "settings",
    }
    return render(request, "rating/settings.html", context)


def _shown_versions(experiment: Experiment) -> list[tuple[TextVersion, int]]:
    """Every version that listeners could read, the newest first, and how many agreed to it."""
    counts = consent_counts(experiment)
    return [(version, counts.get(version.pk, 0)) for version in reversed(published_texts(experiment))]


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
