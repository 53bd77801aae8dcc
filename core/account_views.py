"""Views of accounts: the page on which admins look after them, and the page where a link's owner chooses a password."""

from functools import partial

from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from core import http_errors
from core.encryption import keep_once, take_kept
from core.errors import AppError
from core.forms import (
    DeactivationForm,
    EmailForm,
    FactorRemovalForm,
    InvitationForm,
    PasswordForm,
    RoleForm,
    ValidatedForm,
)
from core.http_errors import error_message
from core.mail import sends_mail
from core.models import User
from core.permissions import Audience, has_second_factor, requires, staff
from core.posts import posted_from
from core.services import accounts, password_links

NEW_LINK = "new_password_link"


@requires(Audience.ADMIN)
@require_GET
def people(request: HttpRequest) -> HttpResponse:
    return _people_page(request)


def _people_page(request: HttpRequest, refused: ValidatedForm | None = None) -> HttpResponse:
    def shown(form: ValidatedForm) -> ValidatedForm:
        return refused if refused and refused.auto_id == form.auto_id else form

    kept = Q(experiments__deleted_at__isnull=True, experiments__is_simulation=False)  # for people, and not in the bin
    owned = Count("experiments", filter=kept)
    rows = [
        {
            "person": person,
            "second_factor": has_second_factor(person),
            "email": shown(_email_form(person)),
            "role": shown(_role_form(person)),
            "factor_removal": shown(_factor_removal_form(person)),
            "deactivation": shown(_deactivation_form(person)),
        }
        for person in User.objects.annotate(owned=owned).order_by("-is_active", "username")
    ]
    context = {
        "rows": rows,
        "invitation": shown(_invitation_form()),
        "sends_mail": sends_mail(),
        "link_days": password_links.LINK_DAYS,
        "tab": "people",
    }
    return render(request, "core/people.html", context, status=refused.status if refused else 200)


def _role_form(person: User, data: QueryDict | None = None) -> RoleForm:
    return RoleForm(data, auto_id=f"account_{person.pk}_%s", initial={"role": person.role})


def _email_form(person: User, data: QueryDict | None = None) -> EmailForm:
    return EmailForm(data, auto_id=f"email_{person.pk}_%s", initial={"email": person.email})


def _factor_removal_form(person: User, data: QueryDict | None = None) -> FactorRemovalForm:
    return FactorRemovalForm(data, auto_id=f"factor_{person.pk}_%s")


def _deactivation_form(person: User, data: QueryDict | None = None) -> DeactivationForm:
    return DeactivationForm(data, auto_id=f"deactivation_{person.pk}_%s")


def _invitation_form(data: QueryDict | None = None) -> InvitationForm:
    return InvitationForm(data, auto_id="invitation_%s", initial={"role": User.Role.EXPERIMENTER})


def _person(user_id: int) -> User:
    person = User.objects.filter(pk=user_id).first()
    if person is None:
        raise http_errors.not_found()
    return person


@requires(Audience.ADMIN)
@posted_from("core:people")
def change_role(request: HttpRequest, user_id: int) -> HttpResponse:
    person = _person(user_id)
    form = _role_form(person, request.POST)
    if not form.carry_out(partial(accounts.change_role, account=person, actor=staff(request)), field="role"):
        return _people_page(request, form)
    messages.success(request, _("The role of '%(name)s' is changed.") % {"name": person.username})
    return redirect("core:people")


@requires(Audience.ADMIN)
@posted_from("core:people")
def change_email(request: HttpRequest, user_id: int) -> HttpResponse:
    person = _person(user_id)
    form = _email_form(person, request.POST)
    if not form.carry_out(partial(accounts.change_email, account=person, actor=staff(request)), field="email"):
        return _people_page(request, form)
    messages.success(request, _("The e-mail address of '%(name)s' is saved.") % {"name": person.username})
    return redirect("core:people")


@requires(Audience.ADMIN)
@posted_from("core:people")
def remove_second_factor(request: HttpRequest, user_id: int) -> HttpResponse:
    """For a person who has lost the telephone and the recovery codes."""
    person = _person(user_id)
    form = _factor_removal_form(person, request.POST)
    remove = partial(accounts.remove_second_factor, account=person, actor=staff(request))
    removed = form.carry_out(remove, field="reason")
    if form.errors and has_second_factor(person):
        return _people_page(request, form)
    if removed:
        messages.success(request, _("The second factor of '%(name)s' is removed.") % {"name": person.username})
    else:  # the page has no form for it
        messages.error(request, _("'%(name)s' has no second factor.") % {"name": person.username})
    return redirect("core:people")


@requires(Audience.ADMIN)
@posted_from("core:people")
def deactivate(request: HttpRequest, user_id: int) -> HttpResponse:
    person = _person(user_id)
    form = _deactivation_form(person, request.POST)
    if not form.carry_out(partial(accounts.deactivate, account=person, actor=staff(request)), field="reason"):
        return _people_page(request, form)
    messages.success(request, _("'%(name)s' can no longer sign in.") % {"name": person.username})
    return redirect("core:people")


@requires(Audience.ADMIN)
@posted_from("core:people")
def reactivate(request: HttpRequest, user_id: int) -> HttpResponse:
    person = accounts.reactivate(account=_person(user_id), actor=staff(request))
    messages.success(request, _("'%(name)s' can sign in again.") % {"name": person.username})
    return redirect("core:people")


@requires(Audience.ADMIN)
@posted_from("core:people")
def invite(request: HttpRequest) -> HttpResponse:
    """Make an account; its link is sent, or shown on the page that follows and never again."""
    form = _invitation_form(request.POST)
    make = partial(password_links.invite, now=timezone.now(), actor=staff(request))
    made = form.carry_out(make, field="name")
    return _told(request, *made) if made else _people_page(request, form)


@requires(Audience.ADMIN)
@posted_from("core:people")
def make_password_link(request: HttpRequest, user_id: int) -> HttpResponse:
    person, by_mail = _person(user_id), request.POST.get("send") == "mail"
    try:
        link = password_links.make_link(account=person, by_mail=by_mail, now=timezone.now(), actor=staff(request))
    except AppError as error:
        messages.error(request, error_message(error))
        return redirect("core:people")
    return _told(request, person, "" if by_mail else link)


def _told(request: HttpRequest, person: User, link: str) -> HttpResponse:
    if not link:
        said = _("A link to choose a password is being sent to %(address)s.") % {"address": person.email}
        messages.success(request, said)
        return redirect("core:people")
    keep_once(request, NEW_LINK, {"name": person.username, "link": link})
    return redirect("core:new_password_link")


@requires(Audience.ADMIN)
@require_GET
def new_password_link(request: HttpRequest) -> HttpResponse:
    """The link that was made a moment ago. Loaded again, the page says that it was shown."""
    context = {"kept": take_kept(request, NEW_LINK), "days": password_links.LINK_DAYS, "tab": "people"}
    return render(request, "core/new_password_link.html", context)


@requires(Audience.PUBLIC)
@never_cache
@require_http_methods(["GET", "POST"])
def set_password(request: HttpRequest, token: str) -> HttpResponse:
    """Choose a password by a link."""
    now = timezone.now()
    person = password_links.account_of(token, now=now)
    form = PasswordForm(request.POST if request.method == "POST" else None)
    change = partial(password_links.choose_password, token=token, now=now)
    if request.method == "POST" and form.carry_out(change, field="password") is not None:
        messages.success(request, _("Your password is set. Sign in with it."))
        return redirect("account_login")
    context = {"form": form, "person": person}
    return render(request, "core/set_password.html", context, status=form.status if form.errors else 200)
