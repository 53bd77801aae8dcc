"""Addresses of the experimenter's pages of results and plans."""

from django.urls import path

from analysis import views
from analysis.exclusions import views as exclusions
from analysis.metrics import views as metrics

app_name = "analysis"
urlpatterns = [
    path("plan-study/", views.plan_study, name="plan_study"),
    path("plan-study/files/<str:name>", views.plan_file, name="plan_file"),
    path("analyse-table/", views.table, name="table"),
    path("experiments/<slug:slug>/results/", views.results, name="results"),
    path("experiments/<slug:slug>/ordinal-model/", views.fit_ordinal, name="fit_ordinal"),
    path("experiments/<slug:slug>/analysis-plan/", exclusions.plan, name="plan"),
    path("experiments/<slug:slug>/exclusions/", exclusions.ledger, name="exclusions"),
    path("experiments/<slug:slug>/exclusions/rules/", exclusions.use_rule, name="use_rule"),
    path("experiments/<slug:slug>/exclusions/<uuid:entry_id>/lift/", exclusions.lift, name="lift_exclusion"),
    path("experiments/<slug:slug>/metrics/", metrics.metrics, name="metrics"),
    path("experiments/<slug:slug>/metrics/remove/", metrics.remove, name="remove_metrics"),
    path("experiments/<slug:slug>/report/", views.report, name="report"),
    path("experiments/<slug:slug>/report/pdf/", views.write_pdf, name="write_report_pdf"),
]
