"""Addresses of core's pages."""

from django.urls import path

from core import account_views, help_views, service_views, views

app_name = "core"
urlpatterns = [
    path("", views.home, name="home"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("texts/<slug:language>-<slug:version>.js", views.script_texts, name="script_texts"),
    path("help/", help_views.index, name="help"),
    path("help/api/reference/", help_views.api, name="help_api"),
    path("help/<path:guide>/", help_views.page, name="help_page"),
    path("account/", views.account, name="account"),
    path("account/tokens/<uuid:token_id>/revoke/", views.revoke_token, name="revoke_token"),
    path("service/", service_views.service, name="service"),
    path("service/jobs/", service_views.jobs, name="jobs"),
    path("service/jobs/retry/", service_views.retry_jobs, name="retry_jobs"),
    path("service/jobs/cancel/", service_views.cancel_jobs, name="cancel_jobs"),
    path("service/backups/", service_views.copies, name="backups"),
    path("service/backups/make/", service_views.make_copy, name="make_copy"),
    path("service/backups/try/", service_views.try_restore, name="try_restore"),
    path("service/backups/<str:name>/download/", service_views.download_copy, name="download_copy"),
    path("service/audit/", service_views.audit_log, name="audit"),
    path("service/people/", account_views.people, name="people"),
    path("service/people/<int:user_id>/role/", account_views.change_role, name="change_role"),
    path("service/people/<int:user_id>/email/", account_views.change_email, name="change_email"),
    path(
        "service/people/<int:user_id>/second-factor/remove/",
        account_views.remove_second_factor,
        name="remove_second_factor",
    ),
    path("service/people/invite/", account_views.invite, name="invite"),
    path("service/people/link/", account_views.new_password_link, name="new_password_link"),
    path("service/people/<int:user_id>/link/", account_views.make_password_link, name="make_password_link"),
    path("service/people/<int:user_id>/deactivate/", account_views.deactivate, name="deactivate"),
    path("service/people/<int:user_id>/reactivate/", account_views.reactivate, name="reactivate"),
    path("set-password/<str:token>/", account_views.set_password, name="set_password"),
]
