"""Addresses of the participant's pages and of the experimenter's view of people."""

from django.urls import path

from listening import views

app_name = "listening"
urlpatterns = [
    path("join/<str:token>/", views.join, name="join"),
    path("visits/<uuid:visit_id>/", views.visit, name="visit"),
    path("visits/<uuid:visit_id>/receipt/", views.receipt, name="receipt"),
    path("experiments/<slug:slug>/people/", views.people, name="people"),
    path("experiments/<slug:slug>/panels/", views.add_panel, name="add_panel"),
    path("experiments/<slug:slug>/panels/<int:number>/invitations/", views.add_invitations, name="add_invitations"),
]
