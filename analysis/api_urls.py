"""Addresses of the experimenter's API of results."""

from django.urls import path

from analysis import api

urlpatterns = [
    path("experiments/<slug:slug>/results/<slug:method>/", api.Results.as_view(), name="result"),
    path("experiments/<slug:slug>/votes.csv", api.VotesCsv.as_view(), name="votes_csv"),
]
