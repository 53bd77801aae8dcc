"""Models of designs, panels, seats, links, visits and receipts. No app below this one knows a participant."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.models import BaseModel
from rating.models import Ballot, Experiment, Trial

LONGEST_LABEL = 100
LONGEST_STATED_MIN = 1440  # of the duration that participants read, over all sessions


class SeatQuerySet(models.QuerySet["Seat"]):
    def main(self) -> "SeatQuerySet":
        """Seats whose answers count: no previews, rehearsals or simulated ones, and nobody's who dropped out."""
        return self.filter(ballot__kind="main", ballot__abandoned_at__isnull=True)

    def counted(self) -> "SeatQuerySet":
        """The same; of a copy for simulated listeners, theirs."""
        simulated = Q(ballot__kind="simulated", panel__experiment__is_simulation=True)
        return self.filter(Q(ballot__kind="main") | simulated, ballot__abandoned_at__isnull=True)

    def free(self) -> "SeatQuerySet":
        """Open, and not kept for the holder of one particular link."""
        return self.filter(state="open", invitation__isnull=True).order_by("number")

    def lapsed(self, now: datetime) -> "SeatQuerySet":
        """Taken, and not a sign of life for longer than the lease; the longest silence first."""
        return self.filter(state="taken", leased_until__lte=now).order_by("leased_until")


class Design(BaseModel):
    """Panels, subsets and orders that were laid out together; what each seat hears is in its ballot."""

    experiment = models.OneToOneField(Experiment, on_delete=models.CASCADE, related_name="design")
    preset = models.SlugField()  # "imported" where the sequences came from files
    seed = models.CharField(max_length=64)
    settings = models.JSONField(default=dict)
    subsets = models.JSONField(default=list)  # one list of item names a panel
    report = models.JSONField(default=dict)
    sha256 = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.experiment.slug} {self.preset} {self.sha256[:12]}"


class Extension(BaseModel):
    """Seats that were added after the first ones. The row of the design stays as it was laid out."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="extensions")
    number = models.PositiveSmallIntegerField()
    reason = models.TextField(blank=True)
    panels_before = models.PositiveSmallIntegerField()
    panels = models.PositiveSmallIntegerField()
    listeners_before = models.PositiveIntegerField()  # in all panels
    listeners = models.PositiveIntegerField()
    # Of a design: the items of the new panels, the report on all seats, and a hash that covers the one before.
    subsets = models.JSONField(default=list)
    report = models.JSONField(default=dict)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(name="extension_number_once", fields=["experiment", "number"])]

    def __str__(self) -> str:
        return f"{self.experiment.slug} extension {self.number}"


class SessionSettings(BaseModel):
    """Settings of an experiment's sessions: checks before, rests between, the redirect afterwards."""

    class HeadphoneScreen(models.TextChoices):
        OFF = "off", _("Off")
        FLAG = "flag", _("Note the outcome, let everybody in")
        TURN_AWAY = "turn_away", _("Turn away after the second failure")

    experiment = models.OneToOneField(Experiment, on_delete=models.CASCADE, related_name="session_settings")
    ear_check = models.BooleanField(default=True)
    level_check = models.BooleanField(default=True)
    headphone_screen = models.CharField(max_length=10, choices=HeadphoneScreen, default=HeadphoneScreen.OFF)
    rest_s = models.PositiveSmallIntegerField(default=300)  # suggested, never enforced
    lease_hours = models.PositiveSmallIntegerField(default=168)  # of absence, after which a seat may be given away
    stated_minutes = models.PositiveSmallIntegerField(null=True)  # what participants read instead of the estimate
    completion_url = models.URLField(blank=True)  # where the receipt leads back to, with {code} for the code
    completion_code = models.CharField(max_length=40, blank=True)  # one for all, in place of the receipt's own
    # Of people who come by a link for many and cannot take part: all places are taken, or the study is not for them.
    full_code = models.CharField(max_length=40, blank=True)
    full_url = models.URLField(blank=True)
    screen_out_code = models.CharField(max_length=40, blank=True)
    screen_out_url = models.URLField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="session_settings_screen_known", condition=Q(headphone_screen__in=["off", "flag", "turn_away"])
            ),
            models.CheckConstraint(name="session_settings_rest_bounded", condition=Q(rest_s__lte=600)),
            models.CheckConstraint(name="session_settings_lease_positive", condition=Q(lease_hours__gte=1)),
            models.CheckConstraint(
                name="session_settings_minutes_bounded", condition=Q(stated_minutes__range=(1, LONGEST_STATED_MIN))
            ),
        ]

    def __str__(self) -> str:
        return self.experiment.slug


class Panel(BaseModel):
    """A group of seats that hear the same items."""

    experiment = models.ForeignKey(Experiment, on_delete=models.PROTECT, related_name="panels")
    number = models.PositiveSmallIntegerField()
    group = models.CharField(max_length=20, blank=True)  # of people, where the protocol tells kinds of people apart

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(name="panel_number_once", fields=["experiment", "number"])]

    def __str__(self) -> str:
        return f"{self.experiment.slug} panel {self.number}"


class Participant(BaseModel):
    """A listener, under a number that means nothing outside the experiment."""

    experiment = models.ForeignKey(Experiment, on_delete=models.PROTECT, related_name="participants")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(name="participant_number_once", fields=["experiment", "number"])]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def pseudonym(self) -> str:
        return f"sub-{self.number:04d}"


class Recruitment(BaseModel):
    """A person who came by a link for many, as HMACs (participation/recruitment.py). A table of its own, so that it can
    be deleted alone."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="recruitments")
    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="recruitment")
    service = models.SlugField()
    person = models.CharField(max_length=64)  # the service's id of the person, or the browser's own
    browser = models.CharField(max_length=64)  # the browser in which the consent was given
    address = models.CharField(max_length=64, blank=True)  # the network address, until the first answer

    class Meta:
        constraints = [models.UniqueConstraint(name="recruited_once", fields=["experiment", "service", "person"])]

    def __str__(self) -> str:
        return self.service


class Seat(BaseModel):
    """A place in a panel with its frozen ballot; taken by consenting, never by opening a link.

    When its listener drops out the seat is abandoned, and the next occupancy of the same number has the same plan.
    """

    class State(models.TextChoices):
        OPEN = "open", _("Open")
        TAKEN = "taken", _("Taken")
        FINISHED = "finished", _("Finished")
        ABANDONED = "abandoned", _("Abandoned")

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="seats")
    number = models.PositiveSmallIntegerField()
    occupancy = models.PositiveSmallIntegerField(default=1)
    ballot = models.OneToOneField(Ballot, on_delete=models.PROTECT, related_name="seat")
    participant = models.OneToOneField(Participant, null=True, on_delete=models.SET_NULL, related_name="seat")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    taken_at = models.DateTimeField(null=True)
    leased_until = models.DateTimeField(
        null=True
    )  # moved on by every sign of life; afterwards the seat may be given away

    objects = SeatQuerySet.as_manager()

    class Meta:
        ordering = ["panel__number", "number", "occupancy"]
        constraints = [
            models.UniqueConstraint(name="seat_occupancy_once", fields=["panel", "number", "occupancy"]),
            models.CheckConstraint(
                name="seat_state_known", condition=Q(state__in=["open", "taken", "finished", "abandoned"])
            ),
            models.CheckConstraint(name="seat_open_is_empty", condition=~Q(state="open") | Q(participant__isnull=True)),
        ]

    def __str__(self) -> str:
        return f"{self.panel} seat {self.number}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def for_people(self) -> "InvitationQuerySet":
        """Links that a person was given: none to a seat of a simulated listener."""
        kinds = (Ballot.Kind.MAIN, Ballot.Kind.REHEARSAL)
        return self.filter(Q(seat__isnull=True) | Q(seat__ballot__kind__in=kinds))

    def with_state(self, now: datetime) -> "InvitationQuerySet":
        """Each with what has become of it, as `state`."""
        state = Invitation.State
        found = Case(
            When(revoked_at__isnull=False, then=Value(state.REVOKED)),
            When(seat__state=Seat.State.FINISHED, then=Value(state.FINISHED)),
            When(seat__state=Seat.State.TAKEN, then=Value(state.RUNNING)),
            When(seat__state=Seat.State.ABANDONED, then=Value(state.RELEASED)),
            When(expires_at__lte=now, then=Value(state.EXPIRED)),
            When(opened_at__isnull=False, then=Value(state.OPENED)),
            default=Value(state.MADE),
            output_field=models.CharField(),
        )
        return self.annotate(**{"state": found})  # noqa: PIE804 - the model declares the attribute

    def in_state(self, *states: str) -> "InvitationQuerySet":
        """Of those that have their state, the ones in one of these."""
        return self.filter(**{"state__in": states})  # noqa: PIE804 - an annotation


class Invitation(BaseModel):
    """A link for one person, or for many. Only the digest of its secret is kept. Opening it takes nothing, only the
    first time is noted; consenting takes a seat."""

    class State(models.TextChoices):
        MADE = "made", pgettext_lazy("link", "Created")
        OPENED = "opened", pgettext_lazy("link", "Opened")
        RUNNING = "running", pgettext_lazy("link", "Running")
        FINISHED = "finished", pgettext_lazy("link", "Finished")
        RELEASED = "released", pgettext_lazy("link", "Seat released")
        EXPIRED = "expired", pgettext_lazy("link", "Expired")
        REVOKED = "revoked", pgettext_lazy("link", "Revoked")

    class Service(models.TextChoices):
        PROLIFIC = "prolific", "Prolific"

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="invitations")
    many = models.BooleanField(default=False)  # each person who consents takes a seat of their own, in any panel
    service = models.CharField(max_length=20, choices=Service, blank=True)  # whose ids of people the link believes
    token_sha256 = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    seat = models.OneToOneField(Seat, null=True, on_delete=models.PROTECT, related_name="invitation")
    label = models.CharField(max_length=LONGEST_LABEL, blank=True)  # the experimenter's own; no participant sees it
    # Personal data, kept for reminders; a link that was sent by mail has a secret that can be derived again.
    address = models.EmailField(blank=True)
    opened_at = models.DateTimeField(null=True)  # the first time; a mail scanner may have been the one who opened it
    revoked_at = models.DateTimeField(null=True)

    state: str  # of InvitationQuerySet.with_state

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(name="invitation_expires_later", condition=Q(expires_at__gt=F("created_at"))),
            models.CheckConstraint(
                name="invitation_for_many_has_no_seat", condition=Q(many=False) | Q(seat__isnull=True)
            ),
            models.CheckConstraint(
                name="invitation_service_known", condition=Q(service="") | Q(many=True, service__in=["prolific"])
            ),
        ]

    def __str__(self) -> str:
        return self.token_sha256[:12]


class Mailing(BaseModel):
    """A message that is sent to several people, each with their own link."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="mailings")
    subject = models.CharField(max_length=200)
    text = models.TextField()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.subject


class Message(BaseModel):
    """One person's message of a mailing. What was refused for good has an error, and is not sent again."""

    mailing = models.ForeignKey(Mailing, on_delete=models.CASCADE, related_name="messages")
    invitation = models.ForeignKey(Invitation, on_delete=models.CASCADE, related_name="messages")
    sent_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(name="message_once", fields=["mailing", "invitation"])]

    def __str__(self) -> str:
        return str(self.pk)


class MonitorAlert(BaseModel):
    """The wish of a person on the staff to be told by e-mail when an experiment needs attention."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="monitor_alerts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    address = models.EmailField()
    language = models.CharField(max_length=10)  # of the page on which it was asked for
    told = models.JSONField(default=list)  # names of what stands and was told
    error = models.CharField(max_length=200, blank=True)  # of the mail server, where it refused the last message

    class Meta:
        constraints = [models.UniqueConstraint(name="monitor_alert_once", fields=["experiment", "user"])]

    def __str__(self) -> str:
        return self.experiment.slug


class Visit(BaseModel):
    """One sitting on one device; a personal link or a resume code begins another visit to the same seat elsewhere."""

    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="visits")
    last_seen_at = models.DateTimeField(auto_now_add=True)
    device = models.JSONField(default=dict)

    class Meta:
        ordering = ["created_at"]

    def __str__(self) -> str:
        return str(self.id)


class SetupStep(BaseModel):
    """One check that a participant went through, with its outcome; a repeated check is another row."""

    class Step(models.TextChoices):
        EARS = "ears", _("Left and right")
        LEVEL = "level", _("Level")
        HEADPHONES = "headphones", _("Headphones")

    visit = models.ForeignKey(Visit, on_delete=models.PROTECT, related_name="setup_steps")
    step = models.CharField(max_length=12, choices=Step)
    outcome = models.JSONField()
    passed = models.BooleanField()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(name="setup_step_known", condition=Q(step__in=["ears", "level", "headphones"]))
        ]

    def __str__(self) -> str:
        return self.step


class QuestionAnswer(BaseModel):
    """An answer to a question of the questionnaire. It is deleted with the participant; votes are not."""

    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="question_answers")
    participant = models.ForeignKey(Participant, null=True, on_delete=models.CASCADE, related_name="question_answers")
    question = models.CharField(max_length=40)
    value = models.JSONField(null=True)  # none where the question was left open
    saved_at = models.DateTimeField()
    handed_in_at = models.DateTimeField(null=True)  # until then it is a draft, which counts nowhere

    class Meta:
        constraints = [models.UniqueConstraint(name="question_answer_once", fields=["seat", "question"])]

    def __str__(self) -> str:
        return self.question


class TurnedAway(BaseModel):
    """How many people the screening questions have turned away. Nothing else is kept of them."""

    experiment = models.OneToOneField(Experiment, on_delete=models.CASCADE, related_name="turned_away")
    count = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.experiment.slug} {self.count}"


class ClientReport(BaseModel):
    """Something that happened in a participant's browser and is no answer: a clip that failed, a changed device."""

    class Kind(models.TextChoices):
        CLIP = "clip", _("Something went wrong with a clip")
        DEVICE = "device", _("The sound device changed")
        HIDDEN = "hidden", _("The page was hidden while a clip played")
        STALL = "stall", _("The sound stalled")
        ERROR = "error", _("A script failed")
        PAUSE = "pause", _("Paused")

    event_id = models.UUIDField(unique=True)  # made by the browser, so that a repeated report is one report
    visit = models.ForeignKey(Visit, on_delete=models.PROTECT, related_name="reports")
    trial = models.ForeignKey(Trial, null=True, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(
                name="client_report_kind_known",
                condition=Q(kind__in=["clip", "device", "hidden", "stall", "error", "pause"]),
            )
        ]

    def __str__(self) -> str:
        return self.kind


class Completion(BaseModel):
    """The receipt for a full ballot: it exists only when the server holds every vote."""

    seat = models.OneToOneField(Seat, on_delete=models.PROTECT, related_name="completion")
    code = models.CharField(max_length=20, unique=True)
    vote_count = models.PositiveIntegerField()
    chain = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.code


class ExclusionQuerySet(models.QuerySet["Exclusion"]):
    def of_experiment(self, experiment: Experiment) -> "ExclusionQuerySet":
        return self.filter(seat__panel__experiment=experiment)

    def standing(self) -> "ExclusionQuerySet":
        """Exclusions that nobody has lifted."""
        return self.filter(lifted_at__isnull=True)


class Exclusion(BaseModel):
    """An entry of the exclusions ledger: the answers of a listener, a seat or one trial that results leave out.

    No answer is deleted, and no entry either: one that is lifted stays, with who lifted it, when and why. A listener
    has one seat, so that the seat names both, also after the participant was erased.
    """

    class Kind(models.TextChoices):
        LISTENER = "listener", _("Listener")
        SEAT = "seat", _("Seat")
        TRIAL = "trial", _("Trial")

    kind = models.CharField(max_length=10, choices=Kind)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="exclusions")
    trial = models.ForeignKey(Trial, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)  # as a person typed it; empty where a rule was applied
    rule = models.SlugField(blank=True)  # with the figure and the threshold it was applied with
    figure = models.FloatField(null=True)
    threshold = models.FloatField(null=True)
    scale = models.CharField(max_length=20, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    after_unblinding = models.BooleanField()  # whether conditions were known by name when it was made
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    lifted_reason = models.TextField(blank=True)
    lifted_after_unblinding = models.BooleanField(null=True)

    objects = ExclusionQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.CheckConstraint(name="exclusion_kind_known", condition=Q(kind__in=["listener", "seat", "trial"])),
            models.CheckConstraint(
                name="exclusion_trial_named",
                condition=Q(kind="trial", trial__isnull=False) | (~Q(kind="trial") & Q(trial__isnull=True)),
            ),
            models.CheckConstraint(name="exclusion_has_reason", condition=~Q(reason="") | ~Q(rule="")),
            models.CheckConstraint(
                name="exclusion_lifted_whole",
                condition=Q(lifted_at__isnull=True, lifted_by__isnull=True, lifted_reason="")
                | (Q(lifted_at__isnull=False, lifted_by__isnull=False) & ~Q(lifted_reason="")),
            ),
            models.UniqueConstraint(
                name="exclusion_seat_once", fields=["seat"], condition=Q(lifted_at__isnull=True, trial__isnull=True)
            ),
            models.UniqueConstraint(
                name="exclusion_trial_once", fields=["trial"], condition=Q(lifted_at__isnull=True, trial__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.seat_id}"

    @property
    def told(self) -> str:
        """Why, in one line: what was typed, or the rule with its figure and threshold."""
        if not self.rule:
            return self.reason
        of_scale = f"{self.scale}, " if self.scale else ""
        return f"{self.rule}: {self.figure:.4g} ({of_scale}threshold {self.threshold:g})"
