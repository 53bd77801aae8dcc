"""Addresses of the participant's API."""

from django.urls import path

from listening import api

urlpatterns = [
    path("visits/<uuid:visit_id>/upcoming/", api.Upcoming.as_view(), name="upcoming"),
    path("visits/<uuid:visit_id>/votes/", api.Votes.as_view(), name="votes"),
    path("visits/<uuid:visit_id>/finish/", api.Finish.as_view(), name="finish"),
    path("visits/<uuid:visit_id>/media/<uuid:media_id>/", api.sound, name="media"),
]
