"""Forms of core's pages, and the base class of forms for small posts."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.http_errors import invalid_request
from core.models import ApiToken, User
from core.services.accounts import LONGEST_LIFE_DAYS


class ValidatedForm(forms.Form):
    """A form for small posts: `value` returns a field's value, or raises an error that lists the wrong fields."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})

    def value(self, field: str) -> Any:
        if not self.is_valid():
            raise invalid_request(fields={name: [str(text) for text in texts] for name, texts in self.errors.items()})
        return self.cleaned_data[field]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=100, help_text=_("Where it will be used, for example: analysis notebook")
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=[
            (ApiToken.Scope.READ, _("read what you can see")),
            (ApiToken.Scope.WRITE, _("change what you can change")),
            (ApiToken.Scope.UNBLIND, _("see which condition is which")),
        ],
        widget=forms.CheckboxSelectMultiple,
        initial=[ApiToken.Scope.READ],
    )
    days = forms.IntegerField(label=_("Days until it expires"), min_value=1, max_value=LONGEST_LIFE_DAYS, initial=90)


class RoleForm(ValidatedForm):
    role = forms.ChoiceField(label=_("Role"), choices=User.Role.choices)
    reason = forms.CharField(label=_("Why"), max_length=200, required=False)
