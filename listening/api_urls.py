"""URLs of the experimenter's API of panels, and of the API of a visit."""

from django.urls import URLPattern, URLResolver, include, path

from listening.panels.api import extensions, files, panels, questions, simulations
from listening.participation import api

EXPERIMENT = "experiments/<slug:slug>/"

sound = [
    path("", api.clip, name="media"),
    path("clip/", api.clip, name="media_clip"),
    path("manifest/", api.manifest, name="media_manifest"),
    path("peaks/<int:level>/", api.peaks, name="media_peaks"),
    path("tiles/<slug:statistic>/<int:level>/<int:index>/", api.tile, name="media_tile"),
    path("slice/", api.slice_, name="media_slice"),
]

visit: list[URLPattern | URLResolver] = [
    path("upcoming/", api.Upcoming.as_view(), name="upcoming"),
    path("pages/", api.Pages.as_view(), name="pages"),
    path("votes/", api.Votes.as_view(), name="votes"),
    path("finish/", api.Finish.as_view(), name="finish"),
    path("questions/", api.Questionnaire.as_view(), name="questions_of_visit"),
    path("reports/", api.Reports.as_view(), name="reports"),
    path("setup/", api.Setup.as_view(), name="setup"),
    path("setup/<slug:screening>/<int:attempt>/<int:number>/", api.setup_sound, name="setup_sound"),
    # The key is opaque, belongs to the visit, and expires.
    path("media/<str:media_key>/", include(sound)),
]

urlpatterns = [
    path("visits/<uuid:visit_id>/", include(visit)),
    path(f"{EXPERIMENT}file/", files.ExperimentFile.as_view(), name="experiment_file"),
    path("experiment-files/", files.ExperimentFiles.as_view(), name="experiment_files"),
    path("experiment-files/schema/", files.experiment_file_schema, name="experiment_file_schema"),
    path(f"{EXPERIMENT}extensions/", extensions.Extensions.as_view(), name="extensions"),
    path(f"{EXPERIMENT}extensions/preview/", extensions.ExtensionPreview.as_view(), name="extension_preview"),
    path(f"{EXPERIMENT}questions/", questions.Questions.as_view(), name="questions"),
    path("monitor/", panels.MonitorAll.as_view(), name="monitor_all"),
    path(f"{EXPERIMENT}copies/", panels.Copies.as_view(), name="copies"),
    path(f"{EXPERIMENT}simulations/", simulations.Simulations.as_view(), name="simulations"),
    path(f"{EXPERIMENT}simulation/", simulations.Simulation.as_view(), name="simulation"),
    path(f"{EXPERIMENT}design/", panels.Designs.as_view(), name="design"),
    path(f"{EXPERIMENT}design/preview/", panels.DesignPreview.as_view(), name="design_preview"),
    path(f"{EXPERIMENT}design-csv.zip", panels.DesignFiles.as_view(), {"suffix": "csv"}, name="design_csv"),
    path(f"{EXPERIMENT}design-json.zip", panels.DesignFiles.as_view(), {"suffix": "json"}, name="design_json"),
    path(f"{EXPERIMENT}panels/", panels.Panels.as_view(), name="panels"),
    path(f"{EXPERIMENT}seats/", panels.Seats.as_view(), name="seats"),
    path(f"{EXPERIMENT}panels/<int:number>/seats/<int:place>/release/", panels.Release.as_view(), name="release_seat"),
    path(f"{EXPERIMENT}session-settings/", panels.SessionSettings.as_view(), name="session_settings"),
    path(f"{EXPERIMENT}completion-codes.csv", panels.CompletionCodes.as_view(), name="completion_codes"),
    path(f"{EXPERIMENT}links/", panels.Links.as_view(), name="links"),
    path(f"{EXPERIMENT}links/<uuid:link_id>/", panels.Link.as_view(), name="link"),
    path(f"{EXPERIMENT}links/<uuid:link_id>/revocation/", panels.LinkRevocation.as_view(), name="link_revocation"),
    path(f"{EXPERIMENT}open-links/", panels.OpenLinks.as_view(), name="open_links"),
    path(f"{EXPERIMENT}rehearsals/", panels.Rehearsals.as_view(), name="rehearsals"),
    path(f"{EXPERIMENT}monitor/", panels.Monitor.as_view(), name="monitor"),
    path(f"{EXPERIMENT}monitor/alert/", panels.MonitorAlerts.as_view(), name="monitor_alert"),
]
