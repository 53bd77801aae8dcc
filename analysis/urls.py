"""Addresses of the experimenter's pages of results and plans."""

from django.urls import path

from analysis import views

app_name = "analysis"
urlpatterns = [
    path("plan-study/", views.plan, name="plan"),
    path("analyse-table/", views.table, name="table"),
    path("experiments/<slug:slug>/results/", views.results, name="results"),
]
