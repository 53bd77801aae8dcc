"""Links that were made: the list with what became of each, labels, and revocation."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from listening.models import Invitation, InvitationQuerySet
from rating.models import Experiment

REVOCABLE = (Invitation.State.MADE, Invitation.State.OPENED, Invitation.State.RUNNING)


def links_of(*, experiment: Experiment, now: datetime, state: str = "", search: str = "") -> InvitationQuerySet:
    """The links that people were given, the newest first; of one state, or with a text in the label."""
    links = Invitation.objects.for_people().filter(panel__experiment=experiment).with_state(now)
    if state:
        links = links.in_state(state)
    if search:
        links = links.filter(label__icontains=search)
    return links.select_related("panel", "seat__ballot").order_by("-created_at", "label", "pk")


def link_of(*, experiment: Experiment, link_id: UUID, now: datetime) -> Invitation:
    found = links_of(experiment=experiment, now=now).filter(pk=link_id).first()
    if found is None:
        raise AppError("invitation.not_found", 404, _("The experiment has no such link."))
    return found


@transaction.atomic
def rename_link(*, link: Invitation, label: str, actor: User) -> Invitation:
    """Change a link's label; the audit log keeps that it was changed, and neither label: they may name a person."""
    if link.label != label:
        Invitation.objects.filter(pk=link.pk).update(label=label)
        audit.record(actor=actor, action="link.renamed", target=link)
        link.label = label
    return link


@transaction.atomic
def revoke_link(*, link: Invitation, now: datetime, actor: User) -> Invitation:
    """Let a link no longer open anything. A seat that was taken by it stays taken, and can be released."""
    Invitation.objects.select_for_update().get(pk=link.pk)
    link = Invitation.objects.with_state(now).select_related("panel__experiment").get(pk=link.pk)
    if link.state not in REVOCABLE:
        raise AppError(
            "invitation.not_revocable",
            409,
            _("This link is finished, expired or revoked already. There is nothing to revoke."),
        )
    Invitation.objects.filter(pk=link.pk).update(revoked_at=now)
    audit.record(
        actor=actor,
        action="link.revoked",
        target=f"experiment/{link.panel.experiment.slug}",
        before={"panel": link.panel.number, "state": str(link.state)},
    )
    link.revoked_at = now
    return link
