"""URLs of the participant's and of the experimenter's pages."""

from django.urls import path

from listening.panels.views import design, links, mail, paper, people, questions, trial_preview, workbooks
from listening.participation import questionnaires, views

SEAT = "experiments/<slug:slug>/panels/<int:number>/seats/<int:place>/"

app_name = "listening"
urlpatterns = [
    path("join/<str:token>/", views.join, name="join"),
    path("visits/<uuid:visit_id>/", views.visit, name="visit"),
    path("visits/<uuid:visit_id>/questions/<slug:place>/", questionnaires.questionnaire, name="questionnaire"),
    path("visits/<uuid:visit_id>/receipt/", views.receipt, name="receipt"),
    path("visits/<uuid:visit_id>/withdraw/", views.withdraw, name="withdraw"),
    path("new-experiment/trial/", trial_preview.trial_preview, name="trial_preview"),
    path("new-experiment/trial/sounds/<int:number>/", trial_preview.preview_sound, name="preview_sound"),
    path("experiments/<slug:slug>/design/", design.design, name="design"),
    path("experiments/<slug:slug>/design/use/", design.adopt, name="adopt_design"),
    path("experiments/<slug:slug>/design/csv/", design.files, {"suffix": "csv"}, name="design_csv"),
    path("experiments/<slug:slug>/design/json/", design.files, {"suffix": "json"}, name="design_json"),
    path("experiments/<slug:slug>/seats/first/", design.first_seats, name="first_seats"),
    path("experiments/<slug:slug>/questions/", questions.questions, name="questions"),
    path("experiments/<slug:slug>/questions/new/", questions.question, name="new_question"),
    path("experiments/<slug:slug>/questions/of/<slug:key>/", questions.question, name="question"),
    path("experiments/<slug:slug>/questions/of/<slug:key>/move/", questions.move_question, name="move_question"),
    path("experiments/<slug:slug>/questions/of/<slug:key>/remove/", questions.remove_question, name="remove_question"),
    path("experiments/<slug:slug>/copy/", people.copy, name="copy"),
    path("experiments/<slug:slug>/seats/remove/", people.remove_seats, name="remove_seats"),
    path("experiments/<slug:slug>/people/", people.people, name="people"),
    path("experiments/<slug:slug>/people/codes/", people.completion_codes, name="completion_codes"),
    path("experiments/<slug:slug>/people/links/", links.links, name="links"),
    path("experiments/<slug:slug>/people/links/<uuid:link_id>/label/", links.rename_link, name="rename_link"),
    path("experiments/<slug:slug>/people/links/<uuid:link_id>/revoke/", links.revoke_link, name="revoke_link"),
    path("experiments/<slug:slug>/people/links/new/", links.new_links, name="new_links"),
    path("experiments/<slug:slug>/people/mail/", mail.mail, name="mail"),
    path("experiments/<slug:slug>/people/mail/reminder/", mail.reminder, name="reminder"),
    path("experiments/<slug:slug>/people/mail/preview/", mail.mail_preview, name="mail_preview"),
    path("experiments/<slug:slug>/people/mail/send/", mail.send_mail, name="send_mail"),
    path("experiments/<slug:slug>/people/mail/forget/", mail.forget_mail, name="forget_mail"),
    path("experiments/<slug:slug>/people/settings/", people.session_settings, name="session_settings"),
    path("experiments/<slug:slug>/panels/", people.add_panel, name="add_panel"),
    path(
        "experiments/<slug:slug>/panels/<int:number>/invitations/",
        links.add_invitations,
        name="add_invitations",
    ),
    path(SEAT, people.reissue, name="reissue"),
    path(f"{SEAT}sheets/", paper.print_sheets, name="print_sheets"),
    path(f"{SEAT}paper/", paper.paper, name="paper"),
    path(f"{SEAT}paper/<int:sheet_number>/", paper.paper_sheet, name="paper_sheet"),
    path(f"{SEAT}paper/finish/", paper.finish_paper, name="finish_paper"),
    path(f"{SEAT}workbook/", workbooks.workbook, name="workbook"),
    path(f"{SEAT}workbook/file/", workbooks.workbook_file, name="workbook_file"),
    path(f"{SEAT}workbook/finish/", workbooks.finish_workbook, name="finish_workbook"),
    path("experiments/<slug:slug>/workbooks/", workbooks.workbooks_zip, name="workbooks_zip"),
    path("experiments/<slug:slug>/links/", links.open_link, name="open_link"),
    path("experiments/<slug:slug>/links/close/", links.close_links, name="close_links"),
    path("experiments/<slug:slug>/rehearsals/", links.rehearse, name="rehearse"),
    path("experiments/<slug:slug>/previews/", people.preview, name="preview"),
    path("experiments/<slug:slug>/monitor/", people.monitor, name="monitor"),
    path("monitor/", people.monitor_all, name="monitor_all"),
]
