"""Addresses of the experimenter's pages of collections."""

from django.urls import path

from stimuli import views

app_name = "stimuli"
urlpatterns = [
    path("collections/", views.collections, name="collections"),
    path("collections/<slug:slug>/", views.collection, name="collection"),
    path("collections/<slug:slug>/<uuid:stimulus_id>/", views.listen, name="listen"),
]
