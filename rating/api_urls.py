"""URLs of the API of experiments."""

from django.urls import path

from rating import api

urlpatterns = [
    path("experiments/", api.Experiments.as_view(), name="experiments"),
    path("experiments/<slug:slug>/", api.ExperimentDetail.as_view(), name="experiment"),
    path("experiments/<slug:slug>/label-sets/", api.LabelSets.as_view(), name="label_sets"),
    path("experiments/<slug:slug>/label-sets/<slug:label_set>/", api.LabelSetDetail.as_view(), name="label_set"),
    path("experiments/<slug:slug>/unblinding/", api.Unblinding.as_view(), name="unblinding"),
]
