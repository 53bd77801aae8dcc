"""Views of an experiment's label sets: those that it can choose from, and its own ones."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from rating.label_forms import LabelSetForm
from rating.label_sets import as_label_set, label_sets_of
from rating.models import Experiment, OwnLabelSet
from rating.protocol import LabelSet, LabelStatus, ScaleLabels
from rating.services import label_sets as services
from rating.services.access import experiment_of
from rating.services.editing import edit_experiment


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def labels(request: HttpRequest, slug: str) -> HttpResponse:
    """All sets that the experiment can use (GET); POST chooses one."""
    experiment = experiment_of(request, slug)
    if request.method == "POST":
        name = request.POST.get("use", "")
        return _changed(request, experiment, edit_experiment, label_set=name)
    own = set(experiment.own_label_sets.values_list("name", flat=True))
    context = {
        "experiment": experiment,
        "is_open": _is_open(experiment),
        "sets": [
            {"labels": each, "own": each.id in own, "draft": each.status == LabelStatus.DRAFT}
            for each in label_sets_of(experiment)
        ],
        "tab": "overview",
    }
    return render(request, "rating/labels.html", context)


@posted_from("rating:labels", "slug")
@requires(Audience.STAFF)
def copy_labels(request: HttpRequest, slug: str) -> HttpResponse:
    """Make an own set with the words of another one, and lead to its form."""
    experiment = experiment_of(request, slug)
    try:
        made = services.copy_label_set(
            experiment=experiment, actor=staff(request), source=request.POST.get("source", "")
        )
    except AppError as error:
        messages.error(request, error_message(error))
        return redirect("rating:labels", slug=slug)
    return redirect("rating:own_labels", slug=slug, label_set=made.name)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def own_labels(request: HttpRequest, slug: str, label_set: str) -> HttpResponse:
    """Form of an own set, with the scales as participants see them beside it; POST saves or only previews."""
    experiment = experiment_of(request, slug)
    own = services.own_label_set(experiment, label_set)
    shown = as_label_set(own)
    form = LabelSetForm(request.POST if request.method == "POST" else None, labels=shown)
    if request.method == "POST" and form.is_valid():
        if "preview" in request.POST:
            shown = _with_words(shown, form)
        else:
            words = {"language": form.cleaned_data["language"], "scales": form.scales()}
            try:
                services.change_label_set(experiment=experiment, actor=staff(request), name=label_set, **words)
            except AppError as error:
                form.add_error(None, error_message(error))
            else:
                messages.success(request, _("The words are saved."))
                return redirect("rating:own_labels", slug=slug, label_set=label_set)
    context = {
        "experiment": experiment,
        "own": own,
        "form": form,
        "labels": shown,
        "is_open": _is_open(experiment),
        "is_draft": own.status == OwnLabelSet.Status.DRAFT,
        "tab": "overview",
    }
    return render(request, "rating/own_labels.html", context)


@posted_from("rating:labels", "slug")
@requires(Audience.STAFF)
def approve_labels(request: HttpRequest, slug: str, label_set: str) -> HttpResponse:
    approved = request.POST.get("to") != "draft"
    return _changed(
        request, experiment_of(request, slug), services.approve_label_set, name=label_set, approved=approved
    )


@posted_from("rating:labels", "slug")
@requires(Audience.STAFF)
def delete_labels(request: HttpRequest, slug: str, label_set: str) -> HttpResponse:
    return _changed(request, experiment_of(request, slug), services.delete_label_set, name=label_set)


def _changed(request: HttpRequest, experiment: Experiment, change: Callable[..., Any], **fields: Any) -> HttpResponse:
    try:
        change(experiment=experiment, actor=staff(request), **fields)
    except AppError as error:
        messages.error(request, error_message(error))
    return redirect("rating:labels", slug=experiment.slug)


def _is_open(experiment: Experiment) -> bool:
    return experiment.state == Experiment.State.DRAFT and experiment.may_change


def _with_words(labels: LabelSet, form: LabelSetForm) -> LabelSet:
    """The set as it would be with what was typed."""
    scales = {
        key: ScaleLabels(**{**words, "anchors": tuple(tuple(anchor) for anchor in words["anchors"])})
        for key, words in form.scales().items()
    }
    return replace(labels, language=form.cleaned_data["language"], scales=scales)
