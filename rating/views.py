"""Views of experiments, for experimenters."""

import json
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from csp.decorators import csp_update
from django.conf import settings as project_settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from core.errors import AppError
from core.forms import ValidatedForm
from core.http_errors import error_message, malformed_request
from core.languages import language_choices
from core.models import User
from core.pdf import can_write_pdf
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from core.templatetags.markdown import markdown
from rating import history
from rating.forms import (
    ARCHIVED,
    BIN,
    LONGEST_TEXT,
    SIMULATIONS,
    AmendmentForm,
    DeleteForm,
    ExperimentForm,
    ListForm,
    NewExperimentForm,
    OptionsForm,
    ShareForm,
    TransferForm,
    UnblindForm,
    shown_options,
)
from rating.label_sets import labels_of
from rating.models import Collaborator, Experiment, TextVersion
from rating.registry import get_protocol, picture_of, protocols
from rating.services import access, disposal
from rating.services import experiments as services
from rating.services.access import Access, experiment_of
from rating.services.editing import amend_texts, edit_experiment
from rating.services.text_languages import question_warnings, text_warnings
from rating.services.texts import consent_counts, published_texts
from stimuli.models import Import
from stimuli.services import imports
from stimuli.services.collections import may_import
from stimuli.views.imports import summary_of, upload_config

ENTRIES_A_PAGE = 20
CHANGES = {
    "live": services.go_live,
    "pause": services.pause,
    "close": services.close,
    "draft": services.return_to_draft,
}
SORTS = {
    "newest": ["-created_at"],
    "oldest": ["created_at"],
    "title": ["title"],
    "owner": ["owner__username", "-created_at"],
    "answers": ["-answer_count", "-created_at"],
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
    """Own and shared experiments, searched, filtered and sorted by the address; archived ones only when asked for."""
    user, form = staff(request), ListForm(request.GET)
    chosen = form.chosen()
    if chosen["show"] == BIN:
        listed = Experiment.objects.in_bin_of(user)
    else:
        listed = Experiment.objects.visible_to(user).filter(
            archived_at__isnull=chosen["show"] != ARCHIVED, is_simulation=chosen["show"] == SIMULATIONS
        )
    if chosen["show"] in Experiment.State.values:
        listed = listed.filter(state=chosen["show"])
    listed = listed.search(chosen["q"]).select_related("owner", "collection").with_counts()
    context = {
        "experiments": listed.order_by(*SORTS[chosen["sort"]], "pk"),
        "form": form,
        "filtered": bool(chosen["q"] or chosen["show"]),
        "in_bin": chosen["show"] == BIN,
        "days_in_bin": disposal.DAYS_IN_BIN,
    }
    return render(request, "rating/experiments.html", context)


@never_cache
@csp_update({"frame-src": ["'self'"]})
@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def new_experiment(request: HttpRequest) -> HttpResponse:
    """Create an experiment from files that are being uploaded on the same page, or from a collection."""
    upload = _upload_of(request)
    initial = {"collection": request.GET.get("collection", "")}
    form = NewExperimentForm(request.POST or None, user=staff(request), has_upload=upload is not None, initial=initial)
    options = {slug: _first_options(request, slug) for slug in protocols()}
    if request.method == "POST" and "preview" not in request.POST and form.is_valid():
        chosen = options[form.cleaned_data["protocol"]]
        if (not chosen.is_bound or chosen.is_valid()) and (made := _create(request, form, chosen, upload)):
            _warn(request, made)
            return redirect("rating:experiment", slug=made.slug)
    return render(request, "rating/new_experiment.html", _creation_context(request, form, options, upload))


def _first_options(request: HttpRequest, slug: str) -> OptionsForm:
    """The options of a protocol that a new experiment may have; the defaults where none were sent."""
    protocol, sent = get_protocol(slug), any(name.startswith(f"{slug}-") for name in request.POST)
    return OptionsForm(
        request.POST if sent else None, protocol=protocol, prefix=slug, simple=True, initial=protocol.defaults
    )


def _upload_of(request: HttpRequest) -> Import | None:
    """The upload that the page has begun, unless another collection was chosen instead of it."""
    known = request.POST.get("import", "") or request.GET.get("import", "")
    if not known or request.POST.get("collection"):
        return None
    try:
        return imports.import_for(staff(request), UUID(known))
    except ValueError:
        raise malformed_request() from None


def _create(
    request: HttpRequest, form: NewExperimentForm, options: OptionsForm, upload: Import | None
) -> Experiment | None:
    """Create the experiment; what is wrong stands in one of the forms then."""
    chosen = options.cleaned_data if options.is_bound else {}
    fields: dict[str, Any] = {"owner": staff(request), "options": chosen, **form.values()}
    level, seen = form.cleaned_data["level"], form.cleaned_data["seen"] == Import.State.PROPOSED
    try:
        if upload is None:
            return services.create_experiment(collection=form.cleaned_data["collection"], **fields)
        target_lufs = float(level) if level else None
        return services.create_from_upload(upload=upload, target_lufs=target_lufs, proposal_seen=seen, **fields)
    except AppError as error:
        _place_error(options if error.data.get("option") in options.fields else form, error)
        return None


def _creation_context(
    request: HttpRequest, form: NewExperimentForm, options: dict[str, OptionsForm], upload: Import | None
) -> dict[str, Any]:
    chosen = form["protocol"].value()
    return {
        "form": form,
        "cards": [
            {
                "protocol": protocol,
                "picture": picture_of(slug),
                "summary": _(protocol.summary),
                "chosen": slug == chosen,
                "options": options[slug],
            }
            for slug, protocol in protocols().items()
        ],
        "upload": upload,
        "found": summary_of(upload) if upload else None,
        "receiving": upload is None or upload.state == Import.State.RECEIVING,
        "config": upload_config(request, upload.collection if upload else None, upload),
        "expires_days": project_settings.UPLOAD_EXPIRES_DAYS,
    }


def _place_error(form: ValidatedForm, error: AppError) -> None:
    """Show an error beside the field that it is about, if the form has one."""
    field = error.data.get("option") or FIELD_OF_ERROR.get(error.code)
    form.add_error(field if field in form.fields else None, error_message(error))


def _warn(request: HttpRequest, experiment: Experiment) -> None:
    found = [
        *services.language_warnings(experiment),
        *text_warnings(experiment),
        *question_warnings(experiment),
        *services.title_warnings(experiment, reader=staff(request)),
    ]
    for warning in found:
        messages.warning(request, warning)


@require_GET
@requires(Audience.STAFF)
def experiment(request: HttpRequest, slug: str) -> HttpResponse:
    shown = experiment_of(request, slug)
    protocol, ballots = get_protocol(shown.protocol), shown.ballots.counts_by_kind()
    context = {
        "experiment": shown,
        "protocol": protocol,
        "labels": labels_of(shown),
        "language": dict(language_choices())[shown.language],
        "ballots": ballots,
        "counted": ballots.get(shown.counted_kind, {}),
        "shares": shown.shares.select_related("user").order_by("user__username"),
        "options": shown_options(protocol, shown.options, designed=bool(shown.layout_sha256)),
        "options_open": services.options_are_open(shown),
        "can_write_pdf": can_write_pdf(),
        "tab": "overview",
    }
    return render(request, "rating/experiment.html", context)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that can be changed about an experiment, on one page; POST changes its fields or amends its texts."""
    shown = experiment_of(request, slug)
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
    shown = experiment_of(request, slug)
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


def _transfer_form(request: HttpRequest, experiment: Experiment, data: QueryDict | None = None) -> TransferForm:
    """The form to hand an experiment over; with its collection only where that is this person's to give."""
    form = TransferForm(data, auto_id="transfer_%s")
    if not may_import(collection=experiment.collection, person=staff(request)):
        del form.fields["with_collection"]
    return form


def _settings_page(request: HttpRequest, experiment: Experiment, **forms: ValidatedForm | None) -> HttpResponse:
    """The page with these forms as they were filled in, and the others as new."""
    context = {
        "experiment": experiment,
        "protocol": get_protocol(experiment.protocol),
        "fields_form": forms.get("fields_form") or _fields_form(staff(request), experiment),
        "options_form": forms.get("options_form") or _options_form(experiment),
        "share_form": forms.get("share_form") or ShareForm(auto_id="share_%s"),
        "transfer_form": forms.get("transfer_form") or _transfer_form(request, experiment),
        "shares": experiment.shares.select_related("user").order_by("user__username"),
        "roles": Collaborator.Role.choices,
        "options_open": services.options_are_open(experiment),
        "versions": _shown_versions(experiment),
        "history": _shown_history(request, experiment),
        "can_write_pdf": can_write_pdf(),
        "days_in_bin": disposal.DAYS_IN_BIN,
        "tab": "settings",
    }
    return render(request, "rating/settings.html", context)


def _shown_history(request: HttpRequest, experiment: Experiment) -> dict[str, Any] | None:
    """A page of the history, for those who may change the experiment."""
    if not experiment.may_change:
        return None
    page = Paginator(history.history_of(experiment), ENTRIES_A_PAGE).get_page(request.GET.get("history"))
    return {"page": page, "entries": [history.told(entry) for entry in page]}


def _shown_versions(experiment: Experiment) -> list[tuple[TextVersion, int]]:
    """Every version that listeners could read, the newest first, and how many agreed to it."""
    counts = consent_counts(experiment)
    return [(version, counts.get(version.pk, 0)) for version in reversed(published_texts(experiment))]


@posted_from("rating:experiment", "slug")
@requires(Audience.STAFF)
def change_state(request: HttpRequest, slug: str, change: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    try:
        CHANGES[change](experiment=experiment, actor=staff(request))
    except AppError as error:
        if change == "live":
            return redirect("rating:confirm_live", slug=slug)  # which says what is missing
        messages.error(request, error_message(error))
    return redirect("rating:experiment", slug=slug)


@require_GET
@requires(Audience.STAFF)
def confirm_live(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask before everything is frozen, beside the list of what is done and what is not."""
    experiment, problem = experiment_of(request, slug), ""
    try:
        services.check_ready(experiment)
    except AppError as error:
        problem = error_message(error)
    return render(request, "rating/confirm_live.html", {"experiment": experiment, "error": problem, "tab": "overview"})


# --- Sharing, archive, bin --------------------------------------------------------------------------------------------


@posted_from("rating:settings", "slug")
@requires(Audience.STAFF)
def share(request: HttpRequest, slug: str) -> HttpResponse:
    """Share with a colleague, or change the role that a colleague has."""
    experiment, form = experiment_of(request, slug, need=Access.MANAGE), ShareForm(request.POST, auto_id="share_%s")
    if form.is_valid():
        name, role = form.cleaned_data["colleague"], form.cleaned_data["role"]
        try:
            access.share(experiment=experiment, actor=staff(request), colleague_name=name, role=role)
        except AppError as error:
            form.add_error("colleague", error_message(error))
        else:
            return redirect(f"{reverse('rating:settings', args=[slug])}#sharing")
    return _settings_page(request, experiment, share_form=form)


@posted_from("rating:settings", "slug")
@requires(Audience.STAFF)
def unshare(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a colleague's access away; everybody may give up their own."""
    name = request.POST.get("colleague", "")
    own = name == staff(request).username
    experiment = experiment_of(request, slug, need=Access.VIEW if own else Access.MANAGE)
    try:
        access.unshare(experiment=experiment, actor=staff(request), colleague_name=name)
    except AppError as error:
        messages.error(request, error_message(error))
    if own:
        return redirect("rating:experiments")
    return redirect(f"{reverse('rating:settings', args=[slug])}#sharing")


@posted_from("rating:settings", "slug")
@requires(Audience.STAFF)
def transfer(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug, need=Access.MANAGE)
    form = _transfer_form(request, experiment, request.POST)
    if form.is_valid():
        try:
            given = access.transfer(
                experiment=experiment,
                actor=staff(request),
                colleague_name=form.cleaned_data["colleague"],
                with_collection=form.cleaned_data.get("with_collection", False),
            )
        except AppError as error:
            form.add_error("colleague", error_message(error))
        else:
            messages.success(request, _("The experiment belongs to %(owner)s now.") % {"owner": given.owner})
            return redirect(f"{reverse('rating:settings', args=[slug])}#sharing")
    return _settings_page(request, experiment, transfer_form=form)


@posted_from("rating:settings", "slug")
@requires(Audience.STAFF)
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Archive the experiment, or take it out of the archive."""
    experiment = experiment_of(request, slug)
    change = disposal.unarchive if experiment.archived_at else disposal.archive
    try:
        changed = change(experiment=experiment, actor=staff(request))
    except AppError as error:
        messages.error(request, error_message(error))
    else:
        hidden = _("The experiment is archived.") if changed.archived_at else _("The experiment is in the list again.")
        messages.success(request, hidden)
    return redirect("rating:settings", slug=slug)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what would be lost (GET), and put the experiment into the bin when its short name was typed (POST)."""
    experiment = experiment_of(request, slug, need=Access.MANAGE)
    form = DeleteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            disposal.delete_experiment(experiment=experiment, actor=staff(request), typed=form.cleaned_data["typed"])
        except AppError as error:
            form.add_error("typed", error_message(error))
        else:
            said = _("%(title)s is in the bin. It can be restored for %(days)s days.")
            messages.success(request, said % {"title": experiment.title, "days": disposal.DAYS_IN_BIN})
            return redirect("rating:experiments")
    context = {
        "experiment": experiment,
        "form": form,
        "lost": disposal.would_lose(experiment),
        "days_in_bin": disposal.DAYS_IN_BIN,
        "tab": "settings",
    }
    return render(request, "rating/delete.html", context)


@posted_from("rating:experiments")
@requires(Audience.STAFF)
def restore(request: HttpRequest, slug: str) -> HttpResponse:
    """Take an experiment out of the bin."""
    experiment = disposal.binned_experiment_for(staff(request), slug)
    disposal.restore(experiment=experiment, actor=staff(request))
    messages.success(request, _("%(title)s is restored.") % {"title": experiment.title})
    return redirect("rating:experiment", slug=slug)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def unblind(request: HttpRequest, slug: str) -> HttpResponse:
    """Unblind with a reason; as long as people can still listen, GET asks a second time and proposes to close first.

    A reason that is missing or too long is asked for again on the page of GET, with what was typed.
    """
    experiment, results = experiment_of(request, slug), reverse("analysis:results", args=[slug])
    typed = request.method == "POST"
    form = UnblindForm(request.POST) if typed else UnblindForm(initial={"reason": request.GET.get("reason", "")[:500]})
    if not form.is_valid():
        context = {"experiment": experiment, "form": form, "tab": "results"}
        return render(request, "rating/confirm_unblind.html", context, status=form.status if typed else 200)
    if services.unblinds_too_early(experiment) and "confirmed" not in request.POST:
        return redirect(f"{request.path}?{urlencode({'reason': form.cleaned_data['reason']})}")
    services.unblind(experiment=experiment, actor=staff(request), reason=form.cleaned_data["reason"])
    return redirect(results)
