"""Models of experiments, ballots, trials, votes and scores. A ballot knows no person; listening links it to a seat."""

import secrets
import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core.models import BaseModel, User
from stimuli.models import Collection, Stimulus

# Trials that are neither answered completely nor skipped.
UNANSWERED = Q(answered=False, skipped_at__isnull=True)


class ExperimentQuerySet(models.QuerySet["Experiment"]):
    def visible_to(self, user: "User") -> "ExperimentQuerySet":
        """Own and shared experiments that are not in the bin; an admin sees all."""
        # A join with the collaborators would repeat rows, and with them every sum that is taken over the rows.
        shared = Q(pk__in=user.shared_experiments.values("pk"))
        kept = self.filter(deleted_at__isnull=True)
        return kept if user.is_admin else kept.filter(Q(owner=user) | shared)

    def in_bin_of(self, user: "User") -> "ExperimentQuerySet":
        """Own experiments in the bin; an admin sees all."""
        binned = self.filter(deleted_at__isnull=False)
        return binned if user.is_admin else binned.filter(owner=user)

    def for_people(self) -> "ExperimentQuerySet":
        """Those that people can take part in: no copies for simulated listeners."""
        return self.filter(is_simulation=False)

    def search(self, words: str) -> "ExperimentQuerySet":
        """Those whose title, short name, collection or owner has every word."""
        found = self
        for word in words.split():
            found = found.filter(
                Q(title__icontains=word)
                | Q(slug__icontains=word)
                | Q(collection__title__icontains=word)
                | Q(owner__username__icontains=word)
            )
        return found

    def newest_first(self) -> "ExperimentQuerySet":
        """An order of its own for lists: grouping, as counts do, drops the model's, and that leaves ties open."""
        return self.order_by("-created_at", "pk")

    def with_counts(self) -> "ExperimentQuerySet":
        """Add how many seats there are, how many are finished and how many answers came in, of ballots that count."""
        own = Q(ballots__kind="main") | Q(ballots__kind="simulated", is_simulation=True)
        main = own & Q(ballots__abandoned_at__isnull=True)
        return self.annotate(
            ballot_count=models.Count("ballots", filter=main, distinct=True),
            finished_count=models.Count("ballots", filter=main & Q(ballots__closed_at__isnull=False), distinct=True),
            answer_count=models.Sum("ballots__vote_count", filter=main, default=0),
        )


class BallotQuerySet(models.QuerySet["Ballot"]):
    def counts_by_kind(self) -> dict[str, dict[str, int]]:
        rows = (
            self.filter(abandoned_at__isnull=True)
            .values_list("kind")
            .annotate(models.Count("id"), models.Count("closed_at"), models.Sum("vote_count"))
        )
        return {kind: {"ballots": total, "closed": closed, "votes": votes} for kind, total, closed, votes in rows}


class TrialQuerySet(models.QuerySet["Trial"]):
    def unanswered(self) -> "TrialQuerySet":
        """Trials still to be asked, in their order: postponed ones come at the end of their session."""
        return self.filter(UNANSWERED).order_by("session", "postponed", "position")


class Experiment(BaseModel):
    """A protocol, its options, a collection, the texts, and a state."""

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        LIVE = "live", _("Live")
        PAUSED = "paused", _("Paused")
        CLOSED = "closed", _("Closed")

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="experiments")
    collaborators = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="Collaborator", related_name="shared_experiments", blank=True
    )
    collection = models.ForeignKey(Collection, on_delete=models.PROTECT, related_name="experiments")
    protocol = models.SlugField()
    label_set = models.CharField(max_length=100)
    # Of every page that participants see; a seat keeps the language of its consent.
    language = models.CharField(max_length=10, default=settings.LANGUAGE_CODE)
    options = models.JSONField(default=dict)
    checks = models.JSONField(default=dict)  # attention checks (rating.services.attention); empty: none
    consent_text = models.TextField()
    instructions = models.TextField(blank=True)  # in place of the protocol's own
    debrief = models.TextField(blank=True)  # shown on the receipt
    contact = models.CharField(max_length=200, blank=True)
    questions = models.JSONField(default=list)  # of the questionnaire, in their order (rating.questions)
    seed = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    # Set when panels were laid out together: which seat hears what in which order, under one hash.
    layout_sha256 = models.CharField(max_length=64, blank=True)
    # Set when the experiment goes live: everything that shapes an answer, under one hash.
    design_sha256 = models.CharField(max_length=64, blank=True)
    # What was written down of the analysis before going live (analysis.reports.plan); part of the design's hash.
    analysis_plan = models.JSONField(default=dict)
    unblinded_at = models.DateTimeField(null=True)
    archived_at = models.DateTimeField(null=True)  # hidden from lists, and otherwise as it was
    deleted_at = models.DateTimeField(null=True)  # in the bin since; rating.services.disposal says for how long
    # Of a test that was made for another program: which, the file, and what changed or was dropped, as messages.
    origin = models.JSONField(default=dict)
    # Own texts that were written before the language was changed, each with its language.
    unadapted_texts = models.JSONField(default=dict)
    # A copy that only simulated listeners take part in; its ballots are of that kind, and it is closed to people.
    is_simulation = models.BooleanField(default=False)
    simulation_of = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="simulations")

    # What the reader of a page may do with it; rating.services.access sets both.
    may_change = True
    may_manage = True

    objects = ExperimentQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                name="experiment_state_known", condition=Q(state__in=["draft", "live", "paused", "closed"])
            ),
            models.CheckConstraint(name="experiment_frozen", condition=Q(state="draft") | ~Q(design_sha256="")),
            models.CheckConstraint(
                name="experiment_simulation_closed", condition=Q(is_simulation=False) | Q(state="closed")
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def counted_kind(self) -> "Ballot.Kind":
        """The kind of the ballots that the experiment is about."""
        return Ballot.Kind.SIMULATED if self.is_simulation else Ballot.Kind.MAIN

    @property
    def has_answers(self) -> bool:
        """Whether a main ballot has votes, abandoned ballots included."""
        return self.ballots.filter(kind=Ballot.Kind.MAIN, vote_count__gt=0).exists()


class Collaborator(BaseModel):
    """A colleague with whom an experiment is shared."""

    class Role(models.TextChoices):
        EDITOR = "editor", _("Editor")
        VIEWER = "viewer", _("Viewer")

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="shares")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="collaborator_once", fields=["experiment", "user"]),
            models.CheckConstraint(name="collaborator_role_known", condition=Q(role__in=["editor", "viewer"])),
        ]

    def __str__(self) -> str:
        return f"{self.user} {self.role}"


class OwnLabelSet(BaseModel):
    """Words of a protocol's scales that were written for one experiment; rating.label_sets reads them."""

    class Status(models.TextChoices):
        DRAFT = "draft", _("Draft")
        REVIEWED = "reviewed", _("Approved")

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="own_label_sets")
    protocol = models.SlugField()
    name = models.CharField(max_length=100, unique=True)
    language = models.CharField(max_length=10)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    based_on = models.CharField(max_length=100)  # the set that was copied
    scales = models.JSONField()  # by scale: question, attend, word, anchors

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(name="own_label_set_status_known", condition=Q(status__in=["draft", "reviewed"]))
        ]

    def __str__(self) -> str:
        return self.name


class TextVersion(BaseModel):
    """The texts of an experiment as they were from one moment on. A seat keeps the version that was agreed to."""

    experiment = models.ForeignKey(Experiment, on_delete=models.PROTECT, related_name="text_versions")
    number = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=200)
    consent_text = models.TextField()
    instructions = models.TextField(blank=True)
    debrief = models.TextField(blank=True)
    contact = models.CharField(max_length=200, blank=True)
    # When listeners could first read it; empty where only previews and rehearsals of a draft have shown it.
    published_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)  # of an amendment
    design_sha256 = models.CharField(max_length=64, blank=True)  # the experiment's, with these texts

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(name="text_version_number_once", fields=["experiment", "number"])]

    def __str__(self) -> str:
        return f"{self.experiment.slug} texts {self.number}"


def new_salt() -> str:
    return secrets.token_hex(32)


class Ballot(BaseModel):
    """One seat's frozen sequence of trials, and the head of the chain over every vote cast on it."""

    class Kind(models.TextChoices):
        """Only main ballots count; the others are there to try things out."""

        MAIN = "main", _("Main")
        SIMULATED = "simulated", _("Simulated")
        PREVIEW = "preview", _("Preview")
        REHEARSAL = "rehearsal", _("Rehearsal")

    experiment = models.ForeignKey(Experiment, on_delete=models.PROTECT, related_name="ballots")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.MAIN)
    seed = models.CharField(max_length=100)
    plan_sha256 = models.CharField(max_length=64)
    # Part of the key of every seal; the other part is outside the database (EARMARK_SEAL_KEY). Without the salt the
    # links can still be checked, but no answer can be guessed from its seal.
    salt = models.CharField(max_length=64, default=new_salt)
    chain = models.CharField(max_length=64, blank=True)  # its head (rating.services.votes), keyed
    vote_count = models.PositiveIntegerField(default=0)
    vote_bytes = models.PositiveBigIntegerField(default=0)  # of all answers in the log, which have a limit
    closed_at = models.DateTimeField(null=True)
    # Its listener dropped out and the seat was released: the votes are kept, and no longer count.
    abandoned_at = models.DateTimeField(null=True)

    objects = BallotQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="ballot_kind_known", condition=Q(kind__in=["main", "simulated", "preview", "rehearsal"])
            )
        ]

    def __str__(self) -> str:
        return f"{self.experiment.slug}/{str(self.id)[:8]}"


class Trial(BaseModel):
    """One page of a ballot; `current_vote` is the newest answer, `revision` the number of answers.

    A page stays open until its newest answer is a whole one. A page whose clip would not play is postponed to the end
    of its session, and skipped when it fails again there.
    """

    ballot = models.ForeignKey(Ballot, on_delete=models.CASCADE, related_name="trials")
    position = models.PositiveIntegerField()
    session = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10)
    ask = models.JSONField()
    detail = models.JSONField(default=dict)  # what the protocol planned besides: which part of how many, in which order
    planned_s = models.FloatField(default=0)  # how long it takes by the protocol's estimate
    postponed = models.PositiveSmallIntegerField(default=0)
    skipped_at = models.DateTimeField(null=True)
    revision = models.PositiveIntegerField(default=0)
    answered = models.BooleanField(default=False)  # the newest answer is whole, and no draft
    current_vote = models.OneToOneField("Vote", null=True, on_delete=models.PROTECT, related_name="current_for")

    objects = TrialQuerySet.as_manager()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(name="trial_position_once", fields=["ballot", "position"]),
            models.CheckConstraint(
                name="trial_kind_known", condition=Q(kind__in=["practice", "test", "trap", "gold", "repeat"])
            ),
            models.CheckConstraint(
                name="trial_answered_has_vote",
                condition=Q(revision=0, answered=False, current_vote__isnull=True)
                | Q(revision__gt=0, current_vote__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"trial {self.position}"


class Slot(models.Model):
    """One stimulus on a page. `media` is its only name in the browser: random, and used nowhere else."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="slots")
    key = models.CharField(max_length=20)
    stimulus = models.ForeignKey(Stimulus, on_delete=models.PROTECT, related_name="+")
    media = models.UUIDField(default=uuid.uuid4, unique=True)

    class Meta:
        ordering = ["key"]
        constraints = [models.UniqueConstraint(name="slot_key_once", fields=["trial", "key"])]

    def __str__(self) -> str:
        return self.key


class SoundFetch(models.Model):
    """A fetch of a slot's sound by a browser: the first and, to the minute, the last of one visit."""

    slot = models.ForeignKey(Slot, on_delete=models.CASCADE, related_name="fetches")
    visit = models.UUIDField()  # the id of listening.Visit, which rating does not import
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(name="sound_fetch_once", fields=["slot", "visit"])]

    def __str__(self) -> str:
        return f"slot {self.slot_id} {self.first_at}"


class Consent(BaseModel):
    """Consent to this exact text before the first vote on a ballot; the person is not named here."""

    ballot = models.OneToOneField(Ballot, on_delete=models.PROTECT, related_name="consent")
    text_version = models.ForeignKey(TextVersion, on_delete=models.PROTECT, related_name="consents")
    text_sha256 = models.CharField(max_length=64)
    language = models.CharField(max_length=10)

    def __str__(self) -> str:
        return self.text_sha256[:12]


class Vote(models.Model):
    """An immutable answer as it arrived. A change of mind is a new revision; a lost race is kept as a conflict."""

    class Outcome(models.TextChoices):
        ACCEPTED = "accepted", _("Accepted")
        CONFLICT = "conflict", _("Conflict")

    id = models.BigAutoField(primary_key=True)  # the server's order
    event_id = models.UUIDField()  # made by the client when the participant acted
    ballot = models.ForeignKey(Ballot, on_delete=models.PROTECT, related_name="votes")
    trial = models.ForeignKey(Trial, on_delete=models.PROTECT, related_name="votes")
    consent = models.ForeignKey(Consent, on_delete=models.PROTECT, related_name="+")
    outcome = models.CharField(max_length=10, choices=Outcome)
    revision = models.PositiveIntegerField(null=True)
    payload = models.JSONField()
    heard = models.JSONField(default=dict)
    client = models.JSONField(default=dict)  # the client's clocks and version: data, never order
    flags = models.JSONField(default=list)
    # Both are HMACs (core.hmacs) with the ballot's salt: without it no answer can be guessed from its digest.
    body_hmac = models.CharField(max_length=64)  # tells whether another delivery is the same answer
    seal = models.CharField(max_length=64)  # covers the whole row
    protocol = models.SlugField()
    protocol_version = models.CharField(max_length=20)
    label_set = models.CharField(max_length=100)
    label_set_sha256 = models.CharField(max_length=64)
    chain = models.CharField(max_length=64)  # links this seal to all before it
    received_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(name="vote_event_once", fields=["event_id"]),
            models.UniqueConstraint(name="vote_revision_once", fields=["trial", "revision"]),
            models.CheckConstraint(
                name="vote_accepted_has_revision",
                condition=Q(outcome="accepted", revision__gte=1) | Q(outcome="conflict", revision__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return str(self.event_id)


class Score(models.Model):
    """A number derived from a vote; it can always be computed again from the raw payload."""

    vote = models.ForeignKey(Vote, on_delete=models.CASCADE, related_name="scores")
    slot = models.ForeignKey(Slot, on_delete=models.PROTECT, related_name="+")
    scale = models.CharField(max_length=20)
    value = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(name="score_once", fields=["vote", "slot", "scale"])]

    def __str__(self) -> str:
        return f"{self.scale} {self.value:g}"


class RejectedVote(models.Model):
    """An answer that was not accepted, with the reason, so that nothing a participant did disappears silently."""

    event_id = models.UUIDField()
    ballot = models.ForeignKey(Ballot, on_delete=models.PROTECT, related_name="rejected_votes")
    body = models.JSONField()
    body_sha256 = models.CharField(max_length=64)
    code = models.CharField(max_length=50)
    sentence = models.TextField()
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(name="rejected_vote_once", fields=["event_id", "body_sha256"])]

    def __str__(self) -> str:
        return f"{self.code} {self.event_id}"
