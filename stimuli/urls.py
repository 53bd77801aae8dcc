"""URLs of the experimenter's pages of collections, imports and sounds."""

from django.urls import include, path

from stimuli.views import clips, collections, imports, sounds, storage

app_name = "stimuli"

IMPORT_PATH = "collections/<slug:slug>/imports/<uuid:import_id>/"

sound = [
    path("", sounds.sound, name="sound"),
    path("clip/", sounds.clip, name="clip"),
    path("manifest/", sounds.manifest, name="manifest"),
    path("peaks/<int:level>/", sounds.peaks, name="peaks"),
    path("peaks-<int:level>.dat", sounds.peaks_file, name="peaks_file"),
    path("tiles/<slug:statistic>/<int:level>/<int:index>/", sounds.tile, name="tile"),
    path("slice/", sounds.slice_, name="slice"),
    path("clock/", sounds.clock, name="clock"),
]

urlpatterns = [
    path("service/storage/", storage.storage, name="storage"),
    path("service/storage/<int:user_id>/quota/", storage.set_quota, name="set_quota"),
    path("collections/", collections.collections, name="collections"),
    path("new-collection/", imports.new_collection, name="new_collection"),
    path("collections/<slug:slug>/import/", imports.new_import, name="new_import"),
    path(IMPORT_PATH, imports.show_import, name="import"),
    path(f"{IMPORT_PATH}confirm/", imports.confirm, name="confirm_import"),
    path(f"{IMPORT_PATH}correct/", imports.correct, name="correct_import"),
    path(f"{IMPORT_PATH}cancel/", imports.cancel, name="cancel_import"),
    path("collections/<slug:slug>/", collections.collection, name="collection"),
    path("collections/<slug:slug>/settings/", collections.settings_page, name="settings"),
    path("collections/<slug:slug>/copy/", collections.copy, name="copy"),
    path("collections/<slug:slug>/items/<uuid:item_id>/", collections.item, name="item"),
    path("collections/<slug:slug>/clips/", clips.clips, name="clips"),
    path("collections/<slug:slug>/compare/", clips.compare, name="compare"),
    path("collections/<slug:slug>/normalise/", collections.normalise, name="normalise"),
    path("collections/<slug:slug>/<uuid:stimulus_id>/sound/", include(sound)),
    path("collections/<slug:slug>/<uuid:stimulus_id>/replace/", imports.new_replacement, name="replace_stimulus"),
]
