"""Views of experiments as files: download one, create one from a file, or from a test of another program."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import AppError
from core.http_errors import error_message
from core.permissions import Audience, requires, staff
from listening.panels.file_forms import FromElsewhereForm, FromFileForm
from listening.panels.services import elsewhere
from listening.panels.services.experiment_files import ExperimentFileRejected, create_from_file, export_experiment
from rating.models import Experiment
from rating.services.access import experiment_of
from rating.services.experiments import language_warnings, title_warnings

# Errors that are about the choice of a collection stand beside it; others beside the file.
ABOUT_COLLECTION = {"experiment_file.collection_needed", "experiment_file.collection_differs", "experiment.no_stimuli"}


@require_GET
@requires(Audience.STAFF)
def experiment_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole experiment as YAML, without people, links and answers."""
    experiment = experiment_of(request, slug)
    try:
        written = export_experiment(experiment=experiment, actor=staff(request))
    except AppError as error:
        messages.error(request, error_message(error))
        return redirect("rating:experiment", slug=slug)
    return yaml_response(written, name=f"{slug}.yaml")


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def from_file(request: HttpRequest) -> HttpResponse:
    """Create a draft from a file; what is wrong with the file stands beside it."""
    user = staff(request)
    if request.method == "GET":
        return render(request, "listening/from_file.html", {"form": FromFileForm(user=user)})
    form = FromFileForm(request.POST, request.FILES, user=user)
    made, status = _created(request, form) if form.is_valid() else (None, form.status)
    if made is None:
        return render(request, "listening/from_file.html", {"form": form}, status=status)
    messages.success(request, _("The experiment is created as a draft from the file."))
    for warning in language_warnings(made) + title_warnings(made, reader=user):
        messages.warning(request, warning)
    return redirect("rating:experiment", slug=made.slug)


def _created(request: HttpRequest, form: FromFileForm) -> tuple[Experiment | None, int]:
    content, collection = form.cleaned_data["file"].read(), form.cleaned_data["collection"]
    try:
        made = create_from_file(content=content, owner=staff(request), collection=collection, in_background=True)
    except ExperimentFileRejected as error:
        form.add_error("file", error.translated(_))
        return None, error.status
    except AppError as error:
        form.add_error("collection" if error.code in ABOUT_COLLECTION else "file", error_message(error))
        return None, error.status
    return made, 200


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def from_elsewhere(request: HttpRequest) -> HttpResponse:
    """Create drafts of a test that was made for another program; the overview lists what was not carried over."""
    user = staff(request)
    if request.method == "GET":
        return render(request, "listening/from_elsewhere.html", {"form": FromElsewhereForm(user=user)})
    form = FromElsewhereForm(request.POST, request.FILES, user=user)
    made, rows, status = _carried_over(request, form) if form.is_valid() else ([], [], form.status)
    if not made:
        return render(request, "listening/from_elsewhere.html", {"form": form, "rows": rows}, status=status)
    said = ngettext("The experiment is created as a draft.", "%(n)s experiments are created as drafts.", len(made))
    messages.success(request, said % {"n": len(made)})
    return redirect("rating:experiment", slug=made[0].slug)


def _carried_over(request: HttpRequest, form: FromElsewhereForm) -> tuple[list[Experiment], list[str], int]:
    file, collection, protocol = (form.cleaned_data[name] for name in ("file", "collection", "protocol"))
    try:
        material = elsewhere.material_from(file.file, name=file.name)
        found = elsewhere.read_elsewhere(material, collection=collection, protocol=protocol)
        return elsewhere.create_from_elsewhere(found=found, owner=staff(request), file_name=file.name), [], 200
    except AppError as error:
        beside = "protocol" if error.code == "experiment_file.protocol_unfit" else "file"
        form.add_error(beside, error_message(error))
        return [], list(error.data.get("rows", [])), error.status


def yaml_response(written: str, *, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(written, content_type="application/yaml; charset=utf-8", headers=headers)
