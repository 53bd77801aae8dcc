"""Addresses of the experimenter's pages of results."""

from django.urls import path

from analysis import views

app_name = "analysis"
urlpatterns = [
    path("experiments/<slug:slug>/results/", views.results, name="results"),
]
