"""Access to experiments: who sees one, who may change it, who shares it, and whose it is."""

from enum import IntEnum

from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext_noop as _
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from core.errors import AppError
from core.models import User
from core.permissions import staff
from core.services import audit
from rating.models import Collaborator, Experiment
from stimuli.models import Collection
from stimuli.services.collection_editing import hand_over_collection


class Access(IntEnum):
    """What a person may do with an experiment, each including those before it."""

    VIEW = 1
    CHANGE = 2
    MANAGE = 3  # share, hand over, delete


def access_of(user: User, experiment: Experiment) -> Access | None:
    """Owners and admins manage, editors change, viewers view; nothing for anybody else."""
    if user.is_admin or experiment.owner_id == user.pk:
        return Access.MANAGE
    role = experiment.shares.filter(user=user).values_list("role", flat=True).first()
    if role is None:
        return None
    return Access.CHANGE if role == Collaborator.Role.EDITOR else Access.VIEW


def experiment_of(request: HttpRequest | Request, slug: str, *, need: Access | None = None) -> Experiment:
    """The experiment that a request is about; the only way a view obtains one.

    Whatever is not a plain request for a page needs to be allowed to change it, unless the view says otherwise.
    """
    usual = Access.VIEW if request.method in SAFE_METHODS else Access.CHANGE
    return experiment_for(staff(request), slug, need=usual if need is None else need)


def experiment_for(user: User, slug: str, *, need: Access = Access.VIEW) -> Experiment:
    """The experiment, if this user may see it and do with it what is needed."""
    found = Experiment.objects.visible_to(user).select_related("collection", "owner").filter(slug=slug).first()
    held = access_of(user, found) if found else None
    if found is None or held is None:
        raise experiment_not_found(slug)
    if held < need:
        raise _owner_only(found) if need == Access.MANAGE else _read_only(found)
    found.may_change, found.may_manage = held >= Access.CHANGE, held >= Access.MANAGE
    return found


def experiment_not_found(slug: str) -> AppError:
    return AppError(
        "experiment.not_found", 404, _("There is no experiment '{slug}' among those you may see."), slug=slug
    )


def _read_only(experiment: Experiment) -> AppError:
    return AppError(
        "experiment.read_only",
        403,
        _("You can look at this experiment but not change it. Ask {owner} to make you an editor."),
        owner=experiment.owner.username,
    )


def _owner_only(experiment: Experiment) -> AppError:
    return AppError(
        "experiment.owner_only",
        403,
        _("Only the owner of this experiment, {owner}, or an admin can do this."),
        owner=experiment.owner.username,
    )


# --- Sharing ----------------------------------------------------------------------------------------------------------


def share(
    *, experiment: Experiment, actor: User, colleague_name: str, role: str = Collaborator.Role.EDITOR
) -> Collaborator:
    """Let a colleague view or edit the experiment, and listen to its collection; again, to change the role."""
    colleague = _colleague(colleague_name)
    if colleague.pk == experiment.owner_id:
        raise AppError(
            "experiment.owner_shares", 422, _("'{name}' owns this experiment already."), name=colleague.username
        )
    with transaction.atomic():
        shared, _new = Collaborator.objects.update_or_create(
            experiment=experiment, user=colleague, defaults={"role": role}
        )
        let_read(experiment.collection, colleague)
        audit.record(
            actor=actor,
            action="experiment.shared",
            target=f"experiment/{experiment.slug}",
            after={"colleague": colleague.username, "role": str(role)},
        )
    return shared


@transaction.atomic
def unshare(*, experiment: Experiment, actor: User, colleague_name: str) -> None:
    """Share the experiment with a colleague no longer."""
    colleague = _colleague(colleague_name, active=False)
    gone, _rows = Collaborator.objects.filter(experiment=experiment, user=colleague).delete()
    if not gone:
        return
    _stop_reading(experiment.collection, colleague)
    audit.record(
        actor=actor,
        action="experiment.unshared",
        target=f"experiment/{experiment.slug}",
        before={"colleague": colleague.username},
    )


@transaction.atomic
def transfer(*, experiment: Experiment, actor: User, colleague_name: str, with_collection: bool = False) -> Experiment:
    """Give the experiment to a colleague, and its collection where asked; the owner until now stays as an editor."""
    experiment = (
        Experiment.objects.select_for_update(of=("self",)).select_related("collection", "owner").get(pk=experiment.pk)
    )
    colleague, before = _colleague(colleague_name), experiment.owner
    if colleague == before:
        return experiment
    Collaborator.objects.filter(experiment=experiment, user=colleague).delete()
    Collaborator.objects.create(experiment=experiment, user=before, role=Collaborator.Role.EDITOR)
    experiment.owner = colleague
    experiment.save(update_fields=["owner"])
    let_read(experiment.collection, colleague, before)
    if with_collection:
        hand_over_collection(collection=experiment.collection, colleague=colleague.username, actor=actor)
    audit.record(
        actor=actor,
        action="experiment.transferred",
        target=f"experiment/{experiment.slug}",
        before={"owner": before.username},
        after={"owner": colleague.username},
    )
    return experiment


def let_read(collection: Collection, *people: User) -> None:
    """Let people who work with a collection listen to it."""
    collection.readers.add(*(person for person in people if person.pk != collection.owner_id))


def _stop_reading(collection: Collection, person: User) -> None:
    """Take the collection away again, unless another experiment of this person uses it."""
    others = Experiment.objects.filter(collection=collection)
    if not (others.filter(owner=person).exists() or others.filter(shares__user=person).exists()):
        collection.readers.remove(person)


def _colleague(name: str, *, active: bool = True) -> User:
    people = User.objects.filter(username=name.strip())
    found = (people.filter(is_active=True) if active else people).first()
    if found is None:
        raise AppError(
            "experiment.colleague_unknown",
            422,
            _("There is no account called '{name}'. Ask your colleague for the name they sign in with."),
            name=name,
        )
    return found
