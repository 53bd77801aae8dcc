"""Addresses of the participant's pages and of the experimenter's view of people."""

from django.urls import path

from listening import design_views, monitor_views, paper_views, people_views, views, workbook_views

SEAT = "experiments/<slug:slug>/panels/<int:number>/seats/<int:place>/"

app_name = "listening"
urlpatterns = [
    path("join/<str:token>/", views.join, name="join"),
    path("visits/<uuid:visit_id>/", views.visit, name="visit"),
    path("visits/<uuid:visit_id>/receipt/", views.receipt, name="receipt"),
    path("experiments/<slug:slug>/design/", design_views.design, name="design"),
    path("experiments/<slug:slug>/design/use/", design_views.adopt, name="adopt_design"),
    path("experiments/<slug:slug>/design/csv/", design_views.files, {"suffix": "csv"}, name="design_csv"),
    path("experiments/<slug:slug>/design/json/", design_views.files, {"suffix": "json"}, name="design_json"),
    path("experiments/<slug:slug>/people/", people_views.people, name="people"),
    path("experiments/<slug:slug>/people/codes/", people_views.completion_codes, name="completion_codes"),
    path("experiments/<slug:slug>/people/settings/", people_views.session_settings, name="session_settings"),
    path("experiments/<slug:slug>/panels/", people_views.add_panel, name="add_panel"),
    path(
        "experiments/<slug:slug>/panels/<int:number>/invitations/",
        people_views.add_invitations,
        name="add_invitations",
    ),
    path(SEAT, people_views.reissue, name="reissue"),
    path(f"{SEAT}sheets/", paper_views.print_sheets, name="print_sheets"),
    path(f"{SEAT}paper/", paper_views.paper, name="paper"),
    path(f"{SEAT}paper/<int:sheet_number>/", paper_views.paper_sheet, name="paper_sheet"),
    path(f"{SEAT}paper/finish/", paper_views.finish_paper, name="finish_paper"),
    path(f"{SEAT}workbook/", workbook_views.workbook, name="workbook"),
    path(f"{SEAT}workbook/file/", workbook_views.workbook_file, name="workbook_file"),
    path(f"{SEAT}workbook/finish/", workbook_views.finish_workbook, name="finish_workbook"),
    path("experiments/<slug:slug>/workbooks/", workbook_views.workbooks_zip, name="workbooks_zip"),
    path("experiments/<slug:slug>/links/", people_views.open_link, name="open_link"),
    path("experiments/<slug:slug>/links/close/", people_views.close_links, name="close_links"),
    path("experiments/<slug:slug>/rehearsals/", people_views.rehearse, name="rehearse"),
    path("experiments/<slug:slug>/previews/", people_views.preview, name="preview"),
    path("experiments/<slug:slug>/monitor/", monitor_views.monitor, name="monitor"),
    path("monitor/", monitor_views.monitor_all, name="monitor_all"),
]
