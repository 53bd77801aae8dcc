"""What an experimenter fills in about people."""

from django import forms
from django.utils.translation import gettext_lazy as _

from core.forms import RefusingForm


class PanelForm(RefusingForm):
    seats = forms.IntegerField(label=_("Seats"), min_value=1, max_value=500, initial=8)


class InvitationsForm(RefusingForm):
    count = forms.IntegerField(label=_("Links"), min_value=1, max_value=500, initial=8)
