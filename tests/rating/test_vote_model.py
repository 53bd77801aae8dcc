"""Votes against a model: events shuffled, repeated, delayed and lost must leave what the model in memory says."""

from dataclasses import dataclass, field, replace
from uuid import UUID

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, Phase, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from rating.models import Ballot, Experiment, Trial, Vote
from rating.services import ballots, experiments
from rating.services.votes import Receipt, VoteEvent, cast_vote, chain_holds
from tests.factories import make_experiment, marks, vote_event
from tests.scale import ALL

pytestmark = pytest.mark.django_db

TRIALS = 4
SMALL = settings(
    max_examples=30 if ALL else 4,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
)
Said = tuple[str, int | None, str]  # status, revision, code of the error


@dataclass
class Model:
    """What should have happened, in a few lines of Python."""

    revisions: dict[UUID, int]
    current: dict[UUID, object] = field(default_factory=dict)
    log: dict[UUID, tuple[VoteEvent, int | None, bool]] = field(default_factory=dict)  # in order of arrival
    closed: bool = False
    late: bool = False

    def deliver(self, event: VoteEvent) -> Said:
        if event.event_id in self.log:
            first, revision, _ = self.log[event.event_id]
            if first.body() != event.body():
                return "refused", None, "vote.key_reused"
            return ("conflict", self.revisions[event.trial], "") if revision is None else ("replay", revision, "")
        if self.closed:
            return "refused", None, "visit.finished"
        value = event.payload["marks"][0]["value"]
        if value not in {1, 2, 3, 4, 5}:
            return "refused", None, "vote.invalid"
        accepted = event.revision == self.revisions[event.trial]
        if accepted:
            self.revisions[event.trial] += 1
            self.current[event.trial] = value
        revision = self.revisions[event.trial]
        self.log[event.event_id] = (event, revision if accepted else None, self.late)
        return ("stored" if accepted else "conflict", revision, "")


class Sitting(RuleBasedStateMachine):
    """Two devices answer the same pages; the network delivers what it likes, when it likes, as often as it likes."""

    experiment: Experiment

    def cast(self, event: VoteEvent) -> Receipt:
        return cast_vote(ballot_id=self.ballot.id, event=event)

    @initialize()
    def sit_down(self) -> None:
        self.ballot = ballots.open_ballot(experiment=self.experiment, seed="model")
        ballots.record_consent(ballot=self.ballot, experiment=self.ballot.experiment)
        self.trials = list(self.ballot.trials.all())
        self.model = Model(revisions={trial.id: 0 for trial in self.trials})
        self.known = [{trial.id: 0 for trial in self.trials} for _ in range(2)]
        self.made: list[tuple[int, VoteEvent]] = []
        if Experiment.objects.get(pk=self.experiment.pk).state == Experiment.State.PAUSED:  # by an earlier sitting
            self.experiment = experiments.go_live(experiment=self.experiment, actor=self.experiment.owner)

    @rule(device=st.integers(0, 1), page=st.integers(0, TRIALS - 1), value=st.integers(1, 6))
    def answer(self, device: int, page: int, value: int) -> None:
        """A participant acts: the event goes to the outbox, not yet to the server."""
        trial = self.trials[page]
        self.made.append((device, vote_event(trial, value=value, revision=self.known[device][trial.id])))

    @rule(which=st.integers(0, 1_000), heard=st.booleans())
    def deliver(self, which: int, heard: bool) -> None:
        """Any event made so far arrives, for the first time or again; the reply may be lost on the way back."""
        assume(self.made)
        device, event = self.made[which % len(self.made)]
        receipt = self.cast(event)
        said = (receipt.status, receipt.revision, receipt.error.code if receipt.error else "")
        assert said == self.model.deliver(event)
        if heard and receipt.revision is not None:
            self.known[device][event.trial] = max(receipt.revision, self.known[device][event.trial])

    @rule(which=st.integers(0, 1_000), value=st.integers(1, 6))
    def reuse_an_id(self, which: int, value: int) -> None:
        assume(self.made)
        device, event = self.made[which % len(self.made)]
        self.made.append((device, replace(event, payload=marks(value))))

    @rule()
    def pause_or_resume(self) -> None:
        turn = experiments.go_live if self.model.late else experiments.pause
        self.experiment = turn(experiment=self.experiment, actor=self.experiment.owner)
        self.model.late = not self.model.late

    @rule()
    def finish(self) -> None:
        assume(len(self.model.current) == TRIALS)
        Ballot.objects.filter(pk=self.ballot.pk).update(closed_at=timezone.now())
        self.model.closed = True

    @invariant()
    def the_table_says_what_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        rows = self.ballot.trials.values_list("id", "revision", "current_vote__scores__value")
        assert list(rows) == [(t.id, self.model.revisions[t.id], self.model.current.get(t.id)) for t in self.trials]

    def teardown(self) -> None:
        if not hasattr(self, "model"):
            return
        log = Vote.objects.filter(ballot=self.ballot).values_list("event_id", "revision", "flags")
        assert list(log) == [
            (event_id, revision, ["late"] if late else []) for event_id, (_, revision, late) in self.model.log.items()
        ]
        assert chain_holds(ballot=Ballot.objects.get(pk=self.ballot.pk))


class LastArrivalWins(Sitting):
    """The control: a server that forgets to compare revisions."""

    def cast(self, event: VoteEvent) -> Receipt:
        current = Trial.objects.get(pk=event.trial).revision
        return super().cast(replace(event, revision=current))


@pytest.fixture(autouse=True)
def _experiment() -> None:
    Sitting.experiment = make_experiment(items=2, conditions=TRIALS // 2)


def test_whatever_the_network_does_the_votes_are_those_of_the_model() -> None:
    run_state_machine_as_test(Sitting, settings=SMALL)


def test_the_model_notices_a_server_on_which_the_last_arrival_wins() -> None:
    with pytest.raises(AssertionError):
        run_state_machine_as_test(LastArrivalWins, settings=settings(SMALL, max_examples=30, phases=[Phase.generate]))
