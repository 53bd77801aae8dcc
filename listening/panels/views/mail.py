"""Views of e-mail to participants: write, preview, send; reminders; deletion of addresses."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override
from django.views.decorators.http import require_GET, require_http_methods

from core.encryption import keep_once, take_kept
from core.errors import AppError
from core.http_errors import error_message
from core.mail import sends_mail
from core.permissions import Audience, requires, staff
from core.posts import posted_from
from listening.models import Mailing
from listening.panels.forms import MailForm, MessageForm, ReminderForm
from listening.panels.services import mailing as services
from listening.panels.services import panels
from rating.models import Experiment
from rating.services.access import experiment_of

DRAFT = "mail_draft"


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def mail(request: HttpRequest, slug: str) -> HttpResponse:
    """Write invitations (POST keeps them for the preview); nothing is sent here."""
    experiment = experiment_of(request, slug)
    numbers = list(experiment.panels.values_list("number", flat=True))
    if not numbers:
        messages.error(request, _("Add a panel first."))
        return redirect("listening:people", slug=slug)
    usual = {"panel": numbers[0]} | _usual_text(experiment)
    form = MailForm(request.POST if request.method == "POST" else None, panels=numbers, initial=usual)
    return _written(request, experiment, form, reminder=False)


@require_http_methods(["GET", "POST"])
@requires(Audience.STAFF)
def reminder(request: HttpRequest, slug: str) -> HttpResponse:
    """Write a reminder (POST keeps it for the preview); nothing is sent here."""
    experiment = experiment_of(request, slug)
    form = ReminderForm(request.POST if request.method == "POST" else None, initial=_usual_reminder(experiment))
    return _written(request, experiment, form, reminder=True)


def _written(request: HttpRequest, experiment: Experiment, form: MessageForm, *, reminder: bool) -> HttpResponse:
    if form.is_bound and form.is_valid():
        keep_once(request, DRAFT, {"experiment": experiment.slug, "fields": form.cleaned_data})
        return redirect("listening:mail_preview", slug=experiment.slug)
    context = {
        "experiment": experiment,
        "form": form,
        "reminder": reminder,
        "sends_mail": sends_mail(),
        "tab": "people",
    }
    return render(request, "listening/mail.html", context, status=form.status if form.errors else 200)


@require_GET
@requires(Audience.STAFF)
def mail_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """The first message as it will be sent, with a link that stands for the real one."""
    experiment = experiment_of(request, slug)
    fields = _draft_of(request, experiment)
    if fields is None:
        return _no_draft(request, slug)
    keep_once(request, DRAFT, {"experiment": slug, "fields": fields})  # until it is sent
    try:
        context = _preview(experiment, fields)
    except AppError as error:
        messages.error(request, error_message(error))
        return redirect("listening:people", slug=slug)
    context |= {"experiment": experiment, "sends_mail": sends_mail(), "tab": "people"}
    return render(request, "listening/mail_preview.html", context)


def _preview(experiment: Experiment, fields: dict[str, Any]) -> dict[str, Any]:
    if "whom" in fields:
        found = services.to_remind(experiment=experiment, whom=fields["whom"], now=timezone.now())
        addresses = [each.address for each in found]
        panel = found[0].panel if found else experiment.panels.first()
    else:
        addresses = [address for _label, address in fields["recipients"]]
        panel = panels.panel_of(experiment=experiment, number=fields["panel"])
    if panel is None or not addresses:
        raise services.nobody_to_remind()
    places = services.places_of(panel, address=panels.link("..."))
    return {
        "reminder": "whom" in fields,
        "addresses": addresses,
        "subject": services.filled(fields["subject"], places=places),
        "text": services.filled(fields["text"], places=places),
    }


@posted_from("listening:mail", "slug")
@requires(Audience.STAFF)
def send_mail(request: HttpRequest, slug: str) -> HttpResponse:
    """Send what was previewed, and nothing else: it is taken from the session."""
    experiment = experiment_of(request, slug)
    fields = _draft_of(request, experiment)
    if fields is None:
        return _no_draft(request, slug)
    try:
        mailing = _send(request, experiment, fields)
    except AppError as error:
        keep_once(request, DRAFT, {"experiment": slug, "fields": fields})
        messages.error(request, error_message(error))
        return redirect("listening:mail_preview", slug=slug)
    count = mailing.messages.count()
    said = ngettext("%(n)s message is being sent.", "%(n)s messages are being sent.", count)
    messages.success(request, said % {"n": count})
    return redirect("listening:links", slug=slug)


def _send(request: HttpRequest, experiment: Experiment, fields: dict[str, Any]) -> Mailing:
    wanted: dict[str, Any] = {"subject": fields["subject"], "text": fields["text"]}
    wanted |= {"now": timezone.now(), "actor": staff(request)}
    if "whom" in fields:
        return services.remind(experiment=experiment, whom=fields["whom"], **wanted)
    panel = panels.panel_of(experiment=experiment, number=fields["panel"])
    recipients = [(label, address) for label, address in fields["recipients"]]
    return services.send_invitations(panel=panel, recipients=recipients, **wanted)


@posted_from("listening:mail", "slug")
@requires(Audience.STAFF)
def forget_mail(request: HttpRequest, slug: str) -> HttpResponse:
    experiment = experiment_of(request, slug)
    services.forget_addresses_of(experiment=experiment, actor=staff(request))
    messages.success(request, _("The e-mail addresses of this experiment are deleted."))
    return redirect("listening:links", slug=slug)


def _draft_of(request: HttpRequest, experiment: Experiment) -> dict[str, Any] | None:
    kept = take_kept(request, DRAFT)
    return kept["fields"] if kept and kept["experiment"] == experiment.slug else None


def _no_draft(request: HttpRequest, slug: str) -> HttpResponse:
    messages.error(
        request, _("There is no message to send: it was sent already, or it is too long ago. Write it again.")
    )
    return redirect("listening:mail", slug=slug)


def _usual_text(experiment: Experiment) -> dict[str, str]:
    """A text to begin with, in the language of the experiment."""
    with override(experiment.language):
        return {
            "subject": _("Invitation to a listening test: {title}"),
            "text": _(
                "Hello,\n\nyou are invited to the listening test “{title}”. It takes about {minutes} minutes.\n\n"
                "Your personal link:\n{link}\n\nThe link is for you alone: please do not pass it on.\n"
            ),
        }


def _usual_reminder(experiment: Experiment) -> dict[str, str]:
    with override(experiment.language):
        return {
            "subject": _("Reminder: listening test {title}"),
            "text": _(
                "Hello,\n\nyou were invited to the listening test “{title}”. You can still take part or finish it. It "
                "takes about {minutes} minutes.\n\nYour personal link, the same as before:\n{link}\n"
            ),
        }
