"""URLs of the API of a visit, and of what experimenters do with panels and files."""

from django.urls import include, path

from listening.panels.api import extensions, files, questions
from listening.participation import api

sound = [
    path("", api.clip, name="media"),
    path("clip/", api.clip, name="media_clip"),
    path("manifest/", api.manifest, name="media_manifest"),
    path("peaks/<int:level>/", api.peaks, name="media_peaks"),
    path("tiles/<slug:statistic>/<int:level>/<int:index>/", api.tile, name="media_tile"),
    path("slice/", api.slice_, name="media_slice"),
]

urlpatterns = [
    path("experiments/<slug:slug>/file/", files.ExperimentFile.as_view(), name="experiment_file"),
    path("experiment-files/", files.ExperimentFiles.as_view(), name="experiment_files"),
    path("experiment-files/schema/", files.experiment_file_schema, name="experiment_file_schema"),
    path("experiments/<slug:slug>/extensions/", extensions.Extensions.as_view(), name="extensions"),
    path(
        "experiments/<slug:slug>/extensions/preview/", extensions.ExtensionPreview.as_view(), name="extension_preview"
    ),
    path("experiments/<slug:slug>/questions/", questions.Questions.as_view(), name="questions"),
    path("visits/<uuid:visit_id>/upcoming/", api.Upcoming.as_view(), name="upcoming"),
    path("visits/<uuid:visit_id>/pages/", api.Pages.as_view(), name="pages"),
    path("visits/<uuid:visit_id>/votes/", api.Votes.as_view(), name="votes"),
    path("visits/<uuid:visit_id>/finish/", api.Finish.as_view(), name="finish"),
    path("visits/<uuid:visit_id>/questions/", api.Questionnaire.as_view(), name="questions_of_visit"),
    path("visits/<uuid:visit_id>/reports/", api.Reports.as_view(), name="reports"),
    path("visits/<uuid:visit_id>/setup/", api.Setup.as_view(), name="setup"),
    path(
        "visits/<uuid:visit_id>/setup/<slug:screening>/<int:attempt>/<int:number>/",
        api.setup_sound,
        name="setup_sound",
    ),
    # The key is opaque, belongs to the visit, and expires.
    path("visits/<uuid:visit_id>/media/<str:media_key>/", include(sound)),
]
