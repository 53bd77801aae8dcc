"""Addresses of the pages on which a collection is made and filled; stimuli.urls includes them."""

from django.urls import path

from stimuli import intake_views as views

INTAKE = "collections/<slug:slug>/intakes/<uuid:intake_id>/"

urlpatterns = [
    path("new-collection/", views.new_collection, name="new_collection"),
    path("collections/<slug:slug>/import/", views.new_intake, name="new_intake"),
    path(INTAKE, views.intake, name="intake"),
    path(f"{INTAKE}confirm/", views.confirm, name="confirm_intake"),
    path(f"{INTAKE}cancel/", views.cancel, name="cancel_intake"),
]
