"""URLs of the API of collections, imports and uploads."""

from django.urls import path

from stimuli import api
from stimuli.uploads import tus

IMPORT_PATH = "collections/<slug:slug>/imports/<uuid:import_id>/"

urlpatterns = [
    path("collections/", api.Collections.as_view(), name="collections"),
    path("collections/<slug:slug>/", api.CollectionDetail.as_view(), name="collection"),
    path("collections/<slug:slug>/deletion/", api.CollectionDeletion.as_view(), name="collection_deletion"),
    path("collections/<slug:slug>/items/", api.CollectionItems.as_view(), name="collection_items"),
    path("collections/<slug:slug>/items/<uuid:item_id>/", api.CollectionItem.as_view(), name="collection_item"),
    path("collections/<slug:slug>/clips/", api.CollectionClips.as_view(), name="collection_clips"),
    path("collections/<slug:slug>/copy/", api.CollectionCopy.as_view(), name="collection_copy"),
    path("collections/<slug:slug>/copies/", api.CollectionCopies.as_view(), name="collection_copies"),
    path("collections/<slug:slug>/checks/", api.CollectionChecks.as_view(), name="collection_checks"),
    path("collections/<slug:slug>/imports/", api.CollectionImports.as_view(), name="imports"),
    path(IMPORT_PATH, api.ImportDetail.as_view(), name="import"),
    path(f"{IMPORT_PATH}levels.csv", api.ImportLevels.as_view(), name="import_levels"),
    path(f"{IMPORT_PATH}files/", api.ImportFiles.as_view(), name="import_files"),
    path(f"{IMPORT_PATH}submit/", api.SubmitImport.as_view(), name="import_submit"),
    path(f"{IMPORT_PATH}leave-out/", api.LeaveOutFiles.as_view(), name="import_leave_out"),
    path(f"{IMPORT_PATH}take-back/", api.TakeBackFiles.as_view(), name="import_take_back"),
    path(f"{IMPORT_PATH}replace/", api.ReplaceFiles.as_view(), name="import_replace"),
    path(f"{IMPORT_PATH}reopen/", api.ReopenImport.as_view(), name="import_reopen"),
    path(f"{IMPORT_PATH}confirm/", api.ConfirmImport.as_view(), name="import_confirm"),
    path(f"{IMPORT_PATH}cancel/", api.CancelImport.as_view(), name="import_cancel"),
    path("uploads/", tus.Uploads.as_view(), name="uploads"),
    path("uploads/<uuid:upload_id>/", tus.Upload.as_view(), name="upload"),
]
