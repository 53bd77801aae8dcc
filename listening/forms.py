"""What an experimenter fills in about people."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.forms import ValidatedForm
from listening.models import Invitation, SessionSettings
from listening.services.session_settings import CHANGEABLE, FIXED_WHILE_LIVE, LONGEST_URL


class PanelForm(ValidatedForm):
    seats = forms.IntegerField(label=_("Seats"), min_value=1, max_value=500, initial=8)
    group = forms.CharField(label=_("Group"), max_length=20, required=False)


class InvitationsForm(ValidatedForm):
    count = forms.IntegerField(label=_("Links"), min_value=1, max_value=500, initial=8)
    as_csv = forms.BooleanField(required=False)


class OpenLinkForm(ValidatedForm):
    service = forms.ChoiceField(choices=[("", ""), *Invitation.Service.choices], required=False)


class PreviewForm(ValidatedForm):
    panel = forms.IntegerField(label=_("Panel"), min_value=1, max_value=32767, initial=1)
    seat = forms.IntegerField(label=_("Seat"), min_value=1, max_value=32767, initial=1)
    from_session = forms.IntegerField(label=_("From session"), min_value=0, max_value=32767, initial=0)


class SessionSettingsForm(ValidatedForm):
    ear_check = forms.BooleanField(label=_("Check left and right"), required=False)
    level_check = forms.BooleanField(label=_("Let people set the level before the first clip"), required=False)
    headphone_screen = forms.ChoiceField(label=_("Headphone screen"), choices=SessionSettings.HeadphoneScreen.choices)
    rest_s = forms.IntegerField(
        label=_("Rest between sessions, in seconds"),
        min_value=0,
        max_value=600,
        help_text=_("Suggested, never enforced."),
    )
    lease_hours = forms.IntegerField(
        label=_("Hours an idle seat is kept"),
        min_value=1,
        max_value=8760,
        help_text=_("Afterwards the next person may get it. Who comes back before that goes on."),
    )
    completion_url = forms.CharField(
        label=_("Lead people back to"),
        max_length=LONGEST_URL,
        required=False,
        help_text=_("An address that begins with https://, with {code} where the completion code belongs."),
    )

    def __init__(self, *args: Any, checks_open: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.changing = CHANGEABLE if checks_open else tuple(set(CHANGEABLE) - set(FIXED_WHILE_LIVE))
        for name in set(self.fields) - set(self.changing):
            self.fields[name].disabled = True
            self.fields[name].required = False

    def values(self) -> dict[str, Any]:
        """What may be changed at the moment, as it was filled in."""
        return {name: self.value(name) for name in self.changing}
