"""URLs of the pages of experiments."""

from django.urls import path, re_path

from rating import label_views, views

app_name = "rating"
urlpatterns = [
    path("experiments/", views.experiments, name="experiments"),
    path("new-experiment/", views.new_experiment, name="new_experiment"),
    path("text-preview/", views.preview_text, name="preview_text"),
    path("experiments/<slug:slug>/", views.experiment, name="experiment"),
    path("experiments/<slug:slug>/settings/", views.settings, name="settings"),
    path("experiments/<slug:slug>/options/", views.options, name="options"),
    path("experiments/<slug:slug>/labels/", label_views.labels, name="labels"),
    path("experiments/<slug:slug>/labels/copy/", label_views.copy_labels, name="copy_labels"),
    path("experiments/<slug:slug>/labels/of/<slug:label_set>/", label_views.own_labels, name="own_labels"),
    path(
        "experiments/<slug:slug>/labels/of/<slug:label_set>/approve/", label_views.approve_labels, name="approve_labels"
    ),
    path("experiments/<slug:slug>/labels/of/<slug:label_set>/delete/", label_views.delete_labels, name="delete_labels"),
    re_path(
        r"^experiments/(?P<slug>[-\w]+)/state/(?P<change>live|pause|close|draft)/$", views.change_state, name="state"
    ),
    path("experiments/<slug:slug>/live/", views.confirm_live, name="confirm_live"),
    path("experiments/<slug:slug>/share/", views.share, name="share"),
    path("experiments/<slug:slug>/unshare/", views.unshare, name="unshare"),
    path("experiments/<slug:slug>/transfer/", views.transfer, name="transfer"),
    path("experiments/<slug:slug>/archive/", views.archive, name="archive"),
    path("experiments/<slug:slug>/delete/", views.delete, name="delete"),
    path("experiments/<slug:slug>/restore/", views.restore, name="restore"),
    path("experiments/<slug:slug>/unblind/", views.unblind, name="unblind"),
]
