"""Addresses of the experimenter's API of collections, imports and uploads."""

from django.urls import path

from stimuli import api, tus

INTAKE = "collections/<slug:slug>/intakes/<uuid:intake_id>/"

urlpatterns = [
    path("collections/", api.Collections.as_view(), name="collections"),
    path("collections/<slug:slug>/", api.CollectionDetail.as_view(), name="collection"),
    path("collections/<slug:slug>/checks/", api.CollectionChecks.as_view(), name="collection_checks"),
    path("collections/<slug:slug>/intakes/", api.CollectionIntakes.as_view(), name="intakes"),
    path(INTAKE, api.IntakeDetail.as_view(), name="intake"),
    path(f"{INTAKE}levels.csv", api.IntakeLevels.as_view(), name="intake_levels"),
    path(f"{INTAKE}files/", api.IntakeFiles.as_view(), name="intake_files"),
    path(f"{INTAKE}seal/", api.SealIntake.as_view(), name="intake_seal"),
    path(f"{INTAKE}confirm/", api.ConfirmIntake.as_view(), name="intake_confirm"),
    path(f"{INTAKE}cancel/", api.CancelIntake.as_view(), name="intake_cancel"),
    path("uploads/", tus.Uploads.as_view(), name="uploads"),
    path("uploads/<uuid:upload_id>/", tus.Upload.as_view(), name="upload"),
]
