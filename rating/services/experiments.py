"""Experiments: create, change options, go live, pause, close, unblind. Other changes are in editing.py."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from random import Random
from string import ascii_uppercase
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import get_language_info, gettext
from django.utils.translation import gettext_noop as _

from core import querysets
from core.errors import AppError
from core.hashing import digest
from core.languages import is_draft
from core.models import Job, User
from core.services import audit
from rating.errors import no_stimuli, reason_missing, wrong_state
from rating.label_sets import labels_of, unknown_label_set
from rating.models import Ballot, Experiment
from rating.options import check_options
from rating.protocol import FULL_LENGTH, GOLD, TRAP, LabelSet, LabelStatus, Protocol
from rating.question_definitions import read_questions
from rating.registry import get_protocol
from rating.services.texts import publish_texts
from stimuli.models import Collection, Import, Stimulus
from stimuli.services.imports import confirm_import
from stimuli.services.normalisation import ask_for_copy_of_import


def create_experiment(
    *,
    owner: User,
    title: str,
    collection: Collection,
    protocol_slug: str,
    label_set: str,
    consent_text: str,
    instructions: str = "",
    debrief: str = "",
    slug: str = "",
    language: str = settings.LANGUAGE_CODE,
    options: Mapping[str, Any] | None = None,
    contact: str = "",
    questions: Sequence[Mapping[str, Any]] = (),
    seed: str = "",
) -> Experiment:
    """Create a draft. Without a short name, one is derived from the title."""
    protocol = get_protocol(protocol_slug)
    check_label_set(label_set, protocol.label_sets)
    check_language(language)
    check_options(protocol, options or {}, material_of(collection))
    slug = slug or free_slug(title)
    told = {"title": title, "language": language}
    texts = {"consent_text": consent_text, "instructions": instructions, "debrief": debrief, "contact": contact}
    basis = {"owner": owner, "slug": slug, "collection": collection, "protocol": protocol_slug, "label_set": label_set}
    try:
        with transaction.atomic():
            experiment = Experiment.objects.create(
                options={**protocol.defaults, **(options or {})},
                questions=[question.stored() for question in read_questions(list(questions))],
                seed=seed or secrets.token_hex(8),
                **(basis | told | texts),
            )
            audit.record(actor=owner, action="experiment.created", target=f"experiment/{slug}", after=told)
    except IntegrityError:
        raise slug_taken(slug) from None
    return experiment


@transaction.atomic
def create_from_upload(
    *, owner: User, upload: Import, target_lufs: float | None, proposal_seen: bool, **fields: Any
) -> Experiment:
    """Create a draft for the clips of an upload, and have them imported if the reader has seen what was found.

    Otherwise the import waits, and the overview of the experiment asks for it. With a target, the experiment hears
    copies at that loudness, which are made after the import.
    """
    collection = upload.collection
    if target_lufs is not None:
        collection = ask_for_copy_of_import(import_=upload, target_lufs=target_lufs, actor=owner)
    experiment = create_experiment(owner=owner, collection=collection, **fields)
    if proposal_seen and upload.state == Import.State.PROPOSED:
        confirm_import(import_=upload, actor=owner)
    return experiment


def free_slug(title: str, *, apart_from: Experiment | None = None) -> str:
    """A short name made of the title, with a number where another experiment has it."""
    others = Experiment.objects.exclude(pk=apart_from.pk) if apart_from else Experiment.objects.all()
    return querysets.free_slug(title, among=others, otherwise="experiment")


def slug_taken(slug: str) -> AppError:
    return AppError(
        "experiment.slug_taken",
        409,
        _("Another experiment is already called '{slug}'. Choose another short name."),
        slug=slug,
    )


def language_warnings(experiment: Experiment) -> list[str]:
    """What participants will not read in the experiment's language, or only in a draft of it."""
    labels = labels_of(experiment)
    pages, scale = (gettext(get_language_info(code)["name"]) for code in (experiment.language, labels.language))
    warnings = []
    if labels.language != experiment.language:
        said = gettext(
            "Participants' pages are in %(pages)s, but the scale and its questions are in %(scale)s. Participants are "
            "told before they agree."
        )
        warnings.append(said % {"pages": pages, "scale": scale})
    if is_draft(experiment.language):
        said = gettext("The translation of participants' pages into %(pages)s is a draft, and the pages say so.")
        warnings.append(said % {"pages": pages})
    return warnings


def title_warnings(experiment: Experiment, *, reader: User) -> list[str]:
    """Whether another experiment in the reader's list has the same title."""
    others = Experiment.objects.visible_to(reader).exclude(pk=experiment.pk).filter(title__iexact=experiment.title)
    slugs = ", ".join(others.order_by("slug").values_list("slug", flat=True)[:3])
    said = gettext("Another experiment has the same title: %(slugs)s. A title of its own is easier to find.")
    return [said % {"slugs": slugs}] if slugs else []


def options_are_open(experiment: Experiment) -> bool:
    """Whether options, protocol and collection can still change, because no pages were drawn from them."""
    return experiment.state == Experiment.State.DRAFT and not experiment.ballots.exists()


@transaction.atomic
def change_options(*, experiment: Experiment, options: Mapping[str, Any], actor: User) -> Experiment:
    """Change some of the protocol's options, as long as no seat's pages were drawn with them."""
    experiment = locked(experiment)
    if experiment.state != Experiment.State.DRAFT:
        raise wrong_state(experiment, needed="draft")
    if not options_are_open(experiment):
        raise AppError(
            "experiment.options_fixed",
            409,
            _(
                "The experiment has seats, and their pages were drawn with the options as they are. Remove the seats "
                "and links first, then change the options."
            ),
        )
    check_options(get_protocol(experiment.protocol), options, material_of(experiment.collection))
    before = experiment.options
    after = {name: value for name, value in options.items() if before.get(name) != value}
    if after:
        experiment.options = {**before, **after}
        experiment.save(update_fields=["options"])
        audit.record(
            actor=actor,
            action="experiment.options_changed",
            target=f"experiment/{experiment.slug}",
            before={name: before.get(name) for name in after},
            after=after,
        )
    return experiment


@transaction.atomic
def go_live(*, experiment: Experiment, actor: User) -> Experiment:
    """Freeze everything that shapes an answer under one hash, and go live."""
    experiment = locked(experiment)
    check_ready(experiment)
    experiment.design_sha256 = design_digest(experiment)
    publish_texts(experiment=experiment, now=timezone.now())
    return _enter(experiment, Experiment.State.LIVE, actor)


def check_for_people(experiment: Experiment) -> None:
    """Reject a copy for simulated listeners where people would be let in."""
    if experiment.is_simulation:
        raise AppError(
            "experiment.simulation",
            409,
            _(
                "This copy is for simulated listeners alone: it has no links and cannot go live. Use the experiment "
                "that it was copied from."
            ),
        )


def check_ready(experiment: Experiment) -> None:
    """Raise what keeps the experiment from going live, if anything does."""
    check_for_people(experiment)
    if experiment.state not in (Experiment.State.DRAFT, Experiment.State.PAUSED):
        raise wrong_state(experiment, needed="draft or paused")
    labels = labels_of(experiment)
    if labels.status == LabelStatus.DRAFT:
        raise AppError(
            "experiment.label_set_draft",
            409,
            _("The label set '{label_set}' is a draft. A draft cannot go live; approve it or choose another one."),
            label_set=labels.id,
        )
    if not Stimulus.objects.filter(item__collection=experiment.collection).exists():
        raise no_stimuli(collection=experiment.collection.title)
    check_options(get_protocol(experiment.protocol), experiment.options, material_of(experiment.collection))
    check_design(experiment)
    if experiment.state == Experiment.State.DRAFT:
        check_no_jobs(experiment)
    if not experiment.ballots.filter(kind=Ballot.Kind.MAIN).exists():
        raise AppError(
            "experiment.no_seats", 409, _("The experiment has no seats. Add a panel or apply a design, then go live.")
        )


def check_no_jobs(experiment: Experiment) -> None:
    """Jobs that lay out a draft find it live in the end, and discard what they have made. These are interactive; jobs
    of the other queues make no seats."""
    jobs = Job.objects.unfinished().filter(arguments__experiment_id=str(experiment.pk))
    job = jobs.filter(queue=Job.Queue.INTERACTIVE).order_by("created_at").first()
    if job is not None:
        raise AppError(
            "experiment.busy",
            409,
            _(
                "The job {job} is still at work on this experiment. This would discard what it makes; wait until it is "
                "done."
            ),
            job=job.name,
        )


@transaction.atomic
def return_to_draft(*, experiment: Experiment, actor: User) -> Experiment:
    """Return to draft, as long as there are no answers."""
    experiment = locked(experiment)
    if experiment.state not in (Experiment.State.LIVE, Experiment.State.PAUSED):
        raise wrong_state(experiment, needed="live or paused")
    # Votes are cast under their ballot's lock: one that is under way is waited for and counted.
    ballots = experiment.ballots.filter(kind=Ballot.Kind.MAIN).order_by("pk").select_for_update()
    if count := sum(ballots.values_list("vote_count", flat=True)):
        raise AppError(
            "experiment.answers_exist",
            409,
            _("{count} answers have come in, so the experiment cannot be a draft again. Pause or close it instead."),
            count=count,
        )
    experiment.design_sha256 = ""
    return _enter(experiment, Experiment.State.DRAFT, actor)


@transaction.atomic
def pause(*, experiment: Experiment, actor: User, reason: str = "") -> Experiment:
    experiment = locked(experiment)
    if experiment.state != Experiment.State.LIVE:
        raise wrong_state(experiment, needed="live")
    return _enter(experiment, Experiment.State.PAUSED, actor, reason)


@transaction.atomic
def close(*, experiment: Experiment, actor: User, reason: str = "") -> Experiment:
    experiment = locked(experiment)
    if experiment.state not in (Experiment.State.LIVE, Experiment.State.PAUSED):
        raise wrong_state(experiment, needed="live or paused")
    return _enter(experiment, Experiment.State.CLOSED, actor, reason)


def unblinds_too_early(experiment: Experiment) -> bool:
    """Whether a person may still give an answer, so that unblinding is asked for twice."""
    listening = experiment.state in (Experiment.State.LIVE, Experiment.State.PAUSED)
    return listening and experiment.unblinded_at is None


@transaction.atomic
def unblind(*, experiment: Experiment, actor: User, reason: str) -> Experiment:
    """Show conditions by name from now on; the log keeps who asked for it and why."""
    if not reason.strip():
        raise reason_missing()
    experiment = locked(experiment)
    if experiment.unblinded_at is None:
        experiment.unblinded_at = timezone.now()
        experiment.save(update_fields=["unblinded_at"])
        audit.record(
            actor=actor, action="experiment.unblinded", target=f"experiment/{experiment.slug}", reason=reason.strip()
        )
    return experiment


@transaction.atomic
def adopt_layout(*, experiment: Experiment, sha256: str, actor: User) -> Experiment:
    """Set the layout of all seats, while the experiment is a draft."""
    experiment = locked(experiment)
    if experiment.state != Experiment.State.DRAFT:
        raise wrong_state(experiment, needed="draft")
    before, experiment.layout_sha256 = experiment.layout_sha256, sha256
    experiment.save(update_fields=["layout_sha256"])
    audit.record(
        actor=actor,
        action="experiment.laid_out",
        target=f"experiment/{experiment.slug}",
        before={"layout_sha256": before},
        after={"layout_sha256": sha256},
    )
    return experiment


@transaction.atomic
def record_extension(
    *,
    experiment: Experiment,
    sha256: str,
    actor: User,
    reason: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> Experiment:
    """Take an addition to the seats into the hashes and the log. `sha256` covers the layout with what was added."""
    experiment = locked(experiment)
    hashes = {"layout_sha256": experiment.layout_sha256, "design_sha256": experiment.design_sha256}
    if sha256 != experiment.layout_sha256:
        check_design(experiment)  # a new hash must not cover a collection that has changed since
        experiment.layout_sha256 = sha256
        if experiment.state != Experiment.State.DRAFT:
            experiment.design_sha256 = design_digest(experiment)
        experiment.save(update_fields=["layout_sha256", "design_sha256"])
    now = {"layout_sha256": sha256, "design_sha256": experiment.design_sha256, "state": str(experiment.state)}
    audit.record(
        actor=actor,
        action="experiment.extended",
        target=f"experiment/{experiment.slug}",
        before={**before, **hashes},
        after={**after, **now},
        reason=reason,
    )
    return experiment


def locked(experiment: Experiment) -> Experiment:
    return Experiment.objects.select_for_update(of=("self",)).select_related("collection").get(pk=experiment.pk)


def _enter(experiment: Experiment, state: Experiment.State, actor: User, reason: str = "") -> Experiment:
    before = experiment.state
    experiment.state = state
    experiment.save(update_fields=["state", "design_sha256"])
    audit.record(
        actor=actor,
        action="experiment.state_changed",
        target=f"experiment/{experiment.slug}",
        before={"state": before},
        after={"state": state.value, "design_sha256": experiment.design_sha256},
        reason=reason,
    )
    return experiment


def check_design(experiment: Experiment) -> None:
    """Raise an error where the frozen hash no longer matches what would be heard."""
    if experiment.design_sha256 and experiment.design_sha256 != design_digest(experiment):
        raise AppError(
            "experiment.design_changed",
            409,
            _(
                "The collection has changed since the experiment went live. Make a new experiment for the changed "
                "material."
            ),
        )


def design_digest(experiment: Experiment) -> str:
    return digest(design_contents(experiment))


def design_contents(experiment: Experiment) -> dict[str, Any]:
    """Everything that shapes an answer, to be hashed; the order of each seat follows from it and the seat's number.

    What was written down of the analysis is in it as well, so that nobody can change it unseen.
    """
    protocol = get_protocol(experiment.protocol)
    stimuli = Stimulus.objects.filter(item__collection=experiment.collection).order_by("item__name", "condition__name")
    texts = list(stimuli.filter(text__isnull=False).values_list("item__name", "condition__name", "text"))
    plan = experiment.analysis_plan
    return (
        ({"texts": texts} if texts else {})
        | ({"analysis_plan": plan} if plan else {})
        | ({"checks": experiment.checks} if experiment.checks else {})
        | ({"questions": experiment.questions} if experiment.questions else {})
        | {
            "protocol": experiment.protocol,
            "protocol_version": protocol.version,
            "options": experiment.options,
            "label_set": experiment.label_set,
            "label_set_sha256": labels_of(experiment).sha256,
            "language": experiment.language,
            "consent_sha256": digest(experiment.consent_text),
            "instructions_sha256": digest(experiment.instructions),
            "seed": experiment.seed,
            "layout_sha256": experiment.layout_sha256,
            "stimuli": list(
                stimuli.values_list(
                    "item__name", "item__factors", "condition__name", "condition__role", "recording__sha256"
                )
            ),
        }
    )


def check_label_set(label_set: str, sets: Iterable[LabelSet]) -> None:
    known = [labels.id for labels in sets]
    if label_set not in known:
        raise unknown_label_set(label_set, known)


def usual_label_set(protocol: Protocol, language: str) -> str:
    """The label set to begin with: one in the language that may collect data, else any that may, else the first."""
    approved = [labels for labels in protocol.label_sets if labels.status != LabelStatus.DRAFT]
    own = [labels for labels in approved if labels.language == language]
    return (own or approved or list(protocol.label_sets))[0].id


def check_language(language: str) -> None:
    known = [code for code, _name in settings.LANGUAGES]
    if language not in known:
        raise AppError(
            "experiment.unknown_language",
            422,
            _("Participants' pages cannot be in the language '{language}'. Known: {known}."),
            language=language,
            known=", ".join(known),
        )


def material_of(collection: Collection) -> dict[str, dict[str, str]]:
    """The conditions of each item, each with its role; nothing before the first import."""
    cells = Stimulus.objects.offered().filter(item__collection=collection).exclude(condition__role__in=(TRAP, GOLD))
    items: dict[str, dict[str, str]] = {}
    for item, condition, role in cells.order_by().values_list("item__name", "condition__name", "condition__role"):
        items.setdefault(item, {})[condition] = role
    return items


# --- Blinding: letters instead of condition names until the experiment is unblinded -----------------------------------


def condition_names(experiment: Experiment) -> dict[str, str]:
    """What each condition is called towards experimenters at this moment."""
    roles = dict(experiment.collection.conditions.values_list("name", "role"))
    if experiment.unblinded_at is not None:
        return {name: name for name in roles}
    unrated = [name for name, role in roles.items() if role in (FULL_LENGTH, TRAP, GOLD)]
    return letters(roles, seed=experiment.seed, last=unrated)


def letters(conditions: Iterable[str], *, seed: str, last: Sequence[str] = ()) -> dict[str, str]:
    """Give each condition a letter (after Z: AA, AB, ...), drawn from the experiment's seed.

    No letter is the name of a condition: a file with letters must not be taken for one with names. Those that appear in
    no table come last, so that the letters of a table have no gap.
    """
    shuffled = sorted(set(conditions))
    Random(f"{seed}/letters").shuffle(shuffled)
    shuffled.sort(key=lambda name: name in last)
    free = (letter for letter in map(_letter, count()) if letter not in shuffled)
    return dict(zip(shuffled, free, strict=False))


def _letter(number: int) -> str:
    rest, last = divmod(number, len(ascii_uppercase))
    return (_letter(rest - 1) if rest else "") + ascii_uppercase[last]
