"""Addresses of the experimenter's API of results."""

from django.urls import path

from analysis import api
from analysis.exclusions import api as exclusions
from analysis.metrics import api as metrics

urlpatterns = [
    path("experiments/<slug:slug>/exclusions/", exclusions.Exclusions.as_view(), name="exclusions"),
    path("experiments/<slug:slug>/exclusions/rules/", exclusions.ExclusionRules.as_view(), name="exclusion_rules"),
    path(
        "experiments/<slug:slug>/exclusions/<uuid:entry_id>/lift/",
        exclusions.LiftedExclusion.as_view(),
        name="lift_exclusion",
    ),
    path("experiments/<slug:slug>/results/", api.ResultIndex.as_view(), name="results"),
    path("experiments/<slug:slug>/results/<slug:method>/tables/", api.ResultTables.as_view(), name="result_tables"),
    path("experiments/<slug:slug>/results/<slug:method>/", api.Results.as_view(), name="result"),
    path("experiments/<slug:slug>/results/<slug:method>/state/", api.ResultState.as_view(), name="result_state"),
    path("experiments/<slug:slug>/results/<slug:method>/items/", api.ResultItems.as_view(), name="result_items"),
    path("experiments/<slug:slug>/results/<slug:method>.csv", api.TablesCsv.as_view(), name="tables_csv"),
    path(
        "experiments/<slug:slug>/results/<slug:method>/files/<str:name>",
        api.ReportFileDownload.as_view(),
        name="report_file",
    ),
    path("experiments/<slug:slug>/metrics/", metrics.ExperimentMetrics.as_view(), name="metrics"),
    path("experiments/<slug:slug>/metrics/files/<str:name>", metrics.MetricsFile.as_view(), name="metrics_file"),
    path("experiments/<slug:slug>/ordinal-model/", api.OrdinalModel.as_view(), name="ordinal_model"),
    path("experiments/<slug:slug>/votes.csv", api.VotesCsv.as_view(), name="votes_csv"),
    path("experiments/<slug:slug>/wide.csv", api.WideCsv.as_view(), name="wide_csv"),
    path("experiments/<slug:slug>/votes_per_clip.csv", api.ClipsCsv.as_view(), name="clips_csv"),
    path("experiments/<slug:slug>/votes_per_cond.csv", api.ConditionsCsv.as_view(), name="conditions_csv"),
    path("experiments/<slug:slug>/questionnaire.csv", api.QuestionnaireCsv.as_view(), name="questionnaire_csv"),
    path("experiments/<slug:slug>/report.html", api.ReportHtml.as_view(), name="report_html"),
    path("experiments/<slug:slug>/report.pdf", api.ReportPdf.as_view(), name="report_pdf"),
    path("experiments/<slug:slug>/dataset.zip", api.DatasetZip.as_view(), name="dataset_zip"),
]
