"""Views of storage, for admins: what takes how much space, and how much each person may have."""

from functools import partial

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from core import http_errors
from core.models import User
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from core.services import accounts
from stimuli.forms import QuotaForm
from stimuli.services import storage_use

COLLECTIONS_A_PAGE = 50


@requires(Audience.ADMIN)
@require_GET
def storage(request: HttpRequest) -> HttpResponse:
    return _page(request)


@requires(Audience.ADMIN)
@posted_from("stimuli:storage")
def set_quota(request: HttpRequest, user_id: int) -> HttpResponse:
    person = User.objects.filter(pk=user_id).first()
    if person is None:
        raise http_errors.not_found()
    form = _form(person, request.POST)
    if not form.carry_out(partial(accounts.set_quota, account=person, actor=staff(request)), field="quota_gb"):
        return _page(request, form)
    messages.success(request, _("The quota of '%(name)s' is set.") % {"name": person.username})
    return redirect("stimuli:storage")


def _form(person: User, data: QueryDict | None = None) -> QuotaForm:
    return QuotaForm(data, auto_id=f"quota_{person.pk}_%s", initial={"quota_gb": person.quota_gb})


def _page(request: HttpRequest, refused: QuotaForm | None = None) -> HttpResponse:
    people = []
    for row in storage_use.by_person():
        form = _form(row.person)
        people.append((row, refused if refused and refused.auto_id == form.auto_id else form))
    page = Paginator(storage_use.by_collection(), COLLECTIONS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "disk": storage_use.disk(),
        "people": people,
        "page": page,
        "usual_quota_gb": settings.UPLOAD_QUOTA_GB,
        "tab": "storage",
    }
    return render(request, "stimuli/storage.html", context, status=refused.status if refused else 200)
