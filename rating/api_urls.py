"""URLs of the API of experiments."""

from django.urls import path

from rating import api, checks_api

EXPERIMENT = "experiments/<slug:slug>/"

urlpatterns = [
    path("protocols/", api.Protocols.as_view(), name="protocols"),
    path("experiments/", api.Experiments.as_view(), name="experiments"),
    path(f"{EXPERIMENT}label-sets/", api.LabelSets.as_view(), name="label_sets"),
    path(f"{EXPERIMENT}label-sets/<slug:label_set>/", api.LabelSetDetail.as_view(), name="label_set"),
    path(f"{EXPERIMENT}checks/", checks_api.Checks.as_view(), name="checks"),
    path(f"{EXPERIMENT}analysis-plan/", checks_api.AnalysisPlan.as_view(), name="analysis_plan"),
    path(EXPERIMENT, api.ExperimentDetail.as_view(), name="experiment"),
    path(f"{EXPERIMENT}options/", api.Options.as_view(), name="options"),
    path(f"{EXPERIMENT}texts/", api.Texts.as_view(), name="texts"),
    path(f"{EXPERIMENT}consent.pdf", api.ConsentPdf.as_view(), name="consent_pdf"),
    path(f"{EXPERIMENT}state/", api.State.as_view(), name="state"),
    path(f"{EXPERIMENT}unblinding/", api.Unblinding.as_view(), name="unblinding"),
    path(f"{EXPERIMENT}shares/", api.Shares.as_view(), name="shares"),
    path(f"{EXPERIMENT}shares/<str:colleague>/", api.Share.as_view(), name="share"),
    path(f"{EXPERIMENT}owner/", api.Owner.as_view(), name="owner"),
    path(f"{EXPERIMENT}archive/", api.Archive.as_view(), name="archive"),
    path(f"{EXPERIMENT}deletion/", api.Deletion.as_view(), name="deletion"),
    path(f"{EXPERIMENT}restoration/", api.Restoration.as_view(), name="restoration"),
]
