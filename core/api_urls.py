"""Addresses of core's API, under /api/v1/."""

from django.urls import path

from core import api_views

urlpatterns = [
    path("jobs/<uuid:job_id>/", api_views.JobView.as_view(), name="job"),
    path("schema/", api_views.SchemaView.as_view(), name="schema"),
]
