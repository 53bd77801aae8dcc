"""Addresses of the experimenter's pages of results."""

from django.urls import path

from analysis import views

app_name = "analysis"
urlpatterns = [
    path("analyse-table/", views.table, name="table"),
    path("experiments/<slug:slug>/results/", views.results, name="results"),
    path("experiments/<slug:slug>/report/", views.report, name="report"),
]
