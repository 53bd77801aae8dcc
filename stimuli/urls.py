"""Addresses of the experimenter's pages of collections."""

from django.urls import include, path

from stimuli import clock_views, sound_views, views

app_name = "stimuli"

sound = [
    path("", sound_views.sound, name="sound"),
    path("clip/", sound_views.clip, name="clip"),
    path("manifest/", sound_views.manifest, name="manifest"),
    path("peaks/<int:level>/", sound_views.peaks, name="peaks"),
    path("peaks-<int:level>.dat", sound_views.peaks_file, name="peaks_file"),
    path("tiles/<slug:statistic>/<int:level>/<int:index>/", sound_views.tile, name="tile"),
    path("slice/", sound_views.slice_, name="slice"),
    path("clock/", clock_views.clock, name="clock"),
]

urlpatterns = [
    path("collections/", views.collections, name="collections"),
    path("", include("stimuli.intake_urls")),
    path("collections/<slug:slug>/", views.collection, name="collection"),
    path("collections/<slug:slug>/level/", views.level_copy, name="level_copy"),
    path("collections/<slug:slug>/<uuid:stimulus_id>/sound/", include(sound)),
]
