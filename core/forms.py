"""Forms of core's pages, and the base class of forms for small posts."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django import forms
from django.utils.translation import gettext_lazy as _

from core.errors import AppError
from core.http_errors import error_message, invalid_request
from core.models import ApiToken, Job, User
from core.services.accounts import LONGEST_LIFE_DAYS

Result = TypeVar("Result")


class ValidatedForm(forms.Form):
    """A form for small posts: `value` returns a field's value, or raises an error that lists the wrong fields.

    `carry_out` makes a change with what was typed; where it is refused, the form says why beside its control.
    """

    status = 400  # of the page that shows what is wrong

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})

    def value(self, field: str) -> Any:
        if not self.is_valid():
            raise invalid_request(fields={name: [str(text) for text in texts] for name, texts in self.errors.items()})
        return self.cleaned_data[field]

    def carry_out(
        self, change: Callable[..., Result], *, field: str = "", by_code: Mapping[str, str] | None = None
    ) -> Result | None:
        """What `change` returns for the fields, or None where something is wrong, which the form then says.

        An error of `change` stands beside the field that `by_code` has for its code, else beside `field`, else on top.
        """
        if not self.is_valid():
            return None
        try:
            return change(**self.cleaned_data)
        except AppError as error:
            self.status = error.status
            self.add_error((by_code or {}).get(error.code, field) or None, error_message(error))
            return None

    def problems(self) -> str:
        """Everything that is wrong, for a message where the page that follows does not show the form."""
        return " ".join(str(text) for texts in self.errors.values() for text in texts)


def short_name(**options: Any) -> forms.RegexField:
    """The field of a short name for addresses; where it may be empty, it is derived from the title."""
    usual: dict[str, Any] = {
        "label": _("Short name"),
        "required": False,
        "help_text": _("For addresses. Leave it empty to derive it from the title."),
    }
    wrong = _("Use only letters without accents, digits, hyphens and underscores, and no spaces.")
    return forms.RegexField(
        regex=r"^[-a-zA-Z0-9_]+$", max_length=50, strip=True, error_messages={"invalid": wrong}, **usual | options
    )


class TokenForm(ValidatedForm):
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
    role = forms.TypedChoiceField(label=_("Role"), choices=User.Role.choices, coerce=User.Role)
    reason = forms.CharField(
        label=_("Why"), max_length=200, required=False, widget=forms.TextInput(attrs={"placeholder": _("Why")})
    )


class DeactivationForm(ValidatedForm):
    reason = forms.CharField(
        label=_("Why"), max_length=200, required=False, widget=forms.TextInput(attrs={"placeholder": _("Why")})
    )


class EmailForm(ValidatedForm):
    email = forms.EmailField(label=_("E-mail address"), required=False)


class FactorRemovalForm(ValidatedForm):
    """Why a second factor is removed, which also says how one knows who asks for it."""

    reason = forms.CharField(label=_("How do you know that it is them?"), max_length=200)


class InvitationForm(ValidatedForm):
    """A new account, whose owner chooses the password."""

    name = forms.CharField(label=_("Name to sign in with"), max_length=150)
    email = forms.EmailField(label=_("E-mail address"), required=False)
    role = forms.TypedChoiceField(label=_("Role"), choices=User.Role.choices, coerce=User.Role)


class PasswordForm(ValidatedForm):
    """A password that is typed twice."""

    password = forms.CharField(
        label=_("The new password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least 10 characters, and not one of the common ones. A few random words are good."),
    )
    again = forms.CharField(
        label=_("The new password again"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("again") and self.cleaned_data.get("password") != self.cleaned_data["again"]:
            self.add_error("again", _("The two passwords differ; type the same one twice."))
        self.cleaned_data.pop("again", None)
        return self.cleaned_data


class JobFilterForm(ValidatedForm):
    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("Waiting, running and failed")), *Job.State.choices]
    )

    def state_chosen(self) -> str:
        """What was chosen; whatever is not offered counts as not chosen."""
        return self.cleaned_data.get("state", "") if self.is_valid() else ""


class JobGroupForm(ValidatedForm):
    """The group of jobs that a button of its line is about."""

    name = forms.CharField(max_length=100)
    about = forms.CharField(max_length=100, required=False)
