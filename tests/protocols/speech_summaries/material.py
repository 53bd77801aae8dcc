"""A small study of speech summaries with answers in it, made through the services that the platform uses."""

from random import Random

from listening.panels.services.panels import create_panel
from protocols.speech_summaries.protocol import JUDGE, MAKER, SpeechSummaries
from rating.models import Experiment
from rating.services.experiments import create_experiment, go_live
from rating.services.pages import plan_of
from rating.services.votes import cast_vote
from stimuli.models import Condition
from stimuli.services.collections import add_stimulus, add_text, create_collection
from tests.factories import consent_to, make_user, tone, vote_event

WORDS = ["Rain", "fell", "on", "the", "old", "harbour", "and", "on", "the", "new", "bridge."]
# None of these names may reach anybody before the experiment is unblinded.
VERSIONS: dict[str, list[int | str]] = {
    "secretfirst": [1, 2, 3, 4],
    "secrethuman": [1, 2, 8, 11],
    "secretasr": [1, 2, "?harper", 11],
}
PROTOCOL = SpeechSummaries()


def summaries_experiment(*, items: int = 2, makers: int = 2, judges: int = 1, live: bool = True) -> Experiment:
    """Utterances with a sound and three versions each; one panel of makers and one of judges."""
    owner = make_user()
    collection = create_collection(owner=owner, slug=f"spoken-{owner.pk}", title="Utterances")
    for item in (f"utterance {number}" for number in range(1, items + 1)):
        add_stimulus(collection=collection, item=item, condition="secretsound", content=tone(300, duration_s=0.4))
        spoken = {"kind": "tokens", "text": " ".join(WORDS), "tokens": WORDS}
        role = Condition.Role.REFERENCE
        add_text(collection=collection, item=item, condition="secretspoken", text=spoken, role=role)
        for condition, positions in VERSIONS.items():
            words = [WORDS[token - 1] if isinstance(token, int) else token[1:] for token in positions]
            text = {"kind": "summary", "text": " ".join(words), "tokens": words, "positions": positions}
            add_text(collection=collection, item=item, condition=condition, text=text)
    experiment = create_experiment(
        owner=owner,
        slug=f"summaries-{owner.pk}",
        title="Fewer words",
        collection=collection,
        protocol_slug=PROTOCOL.slug,
        label_set="summaries-en-1",
        consent_text="I agree.",
        options={"ratio": 0.36, "tolerance": 0.1},
        seed="fixed",
    )
    for group, seats in ((MAKER, makers), (JUDGE, judges)):
        create_panel(experiment=experiment, seats=seats, actor=owner, group=group)
    return go_live(experiment=experiment, actor=owner) if live else experiment


def answer_all(experiment: Experiment) -> None:
    """Everybody does everything, as the protocol's bot would."""
    for panel in experiment.panels.all():
        for seat in panel.seats.all():
            ballot = consent_to(seat).seat.ballot
            for trial in ballot.trials.order_by("position"):
                payload = PROTOCOL.example(plan_of(trial, trial.slots.all()), Random(f"{seat.number} {trial.position}"))
                event = vote_event(trial, payload=payload)
                assert cast_vote(ballot_id=ballot.pk, event=event).status == "stored"
