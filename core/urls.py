"""Addresses of core's pages."""

from django.urls import path

from core import help_views, views

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
    path("service/", views.service, name="service"),
    path("service/jobs/<uuid:job_id>/retry/", views.retry_job, name="retry_job"),
    path("service/audit/", views.audit_log, name="audit"),
    path("service/people/", views.people, name="people"),
    path("service/people/<int:user_id>/role/", views.change_role, name="change_role"),
]
