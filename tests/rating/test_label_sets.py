"""Own label sets: copied, changed, previewed and approved in a draft, used by trials and votes, told in the dataset."""

import io
import json
import zipfile
from typing import Any

import pytest

from core.errors import AppError
from core.models import AuditEntry
from listening.panels.next_steps import StepState, steps_of
from listening.panels.services.copying import copy_experiment
from rating.label_sets import labels_of
from rating.models import Experiment, OwnLabelSet, Vote
from rating.services.editing import edit_experiment
from rating.services.experiments import go_live
from rating.services.label_sets import approve_label_set, change_label_set, copy_label_set
from tests.factories import make_experiment, make_user, sit_down
from tests.people import browser_of

pytestmark = pytest.mark.django_db

WORDS = ["Excelente", "Boa", "Razoável", "Má", "Péssima"]
SCALES = {
    "QUALITY": {
        "question": "Como era a qualidade deste trecho?",
        "attend": "",
        "word": "",
        "anchors": [[value, word] for value, word in zip(range(5, 0, -1), WORDS, strict=True)],
    }
}


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(live=False)


def portuguese(experiment: Experiment) -> OwnLabelSet:
    """An own set that the experiment uses, still a draft."""
    actor = experiment.owner
    own = copy_label_set(experiment=experiment, actor=actor, source="acr-en-1", language="pt")
    own = change_label_set(experiment=experiment, actor=actor, name=own.name, language="pt", scales=SCALES)
    edit_experiment(experiment=experiment, actor=actor, label_set=own.name)
    experiment.refresh_from_db()
    return own


def test_an_own_set_is_written_in_the_page_and_chosen_there(experiment: Experiment) -> None:
    client, base = browser_of(experiment.owner), f"/experiments/{experiment.slug}/labels/"
    page = client.get(base).content.decode()
    assert "acr-en-1" in page
    assert "acr-fr-1" in page
    address = client.post(f"{base}copy/", {"source": "acr-en-1"}).headers["Location"]
    own = OwnLabelSet.objects.get()
    assert address == f"{base}of/{own.name}/"
    typed = {"language": "pt", "QUALITY-question": "Como era?"} | {f"QUALITY-{n}": word for n, word in enumerate(WORDS)}
    page = client.post(address, typed | {"preview": "1"}).content.decode()
    assert "<legend>Como era?</legend>" in page
    own.refresh_from_db()
    assert own.language == "en"  # a preview saves nothing
    assert client.post(address, typed).status_code == 302
    client.post(base, {"use": own.name})
    experiment.refresh_from_db()
    labels = labels_of(experiment)
    assert (labels.id, labels.language, labels.status) == (own.name, "pt", "draft")
    assert [label for _value, label in labels.scales["QUALITY"].anchors] == WORDS
    assert own.name in client.get(f"/experiments/{experiment.slug}/settings/").content.decode()
    assert AuditEntry.objects.filter(action__startswith="label_set.").count() == 2


def test_a_draft_is_not_ready_to_go_live_and_an_approved_set_is_used_for_trials_and_votes() -> None:
    experiment = make_experiment(live=False, seats=1)
    own = portuguese(experiment)
    words = next(step for step in steps_of(experiment, now=own.created_at) if own.name in step.sentence)
    assert words.state == StepState.OPEN
    with pytest.raises(AppError, match="is a draft"):
        go_live(experiment=experiment, actor=experiment.owner)
    approve_label_set(experiment=experiment, actor=experiment.owner, name=own.name)
    live = go_live(experiment=experiment, actor=experiment.owner)
    sitting = sit_down(live)
    [first, *_others] = sitting.upcoming()["trials"]
    assert first["labels"]["QUALITY"]["language"] == "pt"
    assert first["labels"]["QUALITY"]["anchors"][0] == {"value": 5, "label": "Excelente"}
    sitting.answer_all()
    assert set(Vote.objects.values_list("label_set", "label_set_sha256")) == {(own.name, labels_of(live).sha256)}
    with pytest.raises(AppError, match="needs it to be draft"):
        change_label_set(experiment=live, actor=live.owner, name=own.name, language="pt", scales=SCALES)
    answer = browser_of(live.owner).get(f"/api/v1/experiments/{live.slug}/dataset.zip")
    whole = zipfile.ZipFile(io.BytesIO(answer.getvalue()))
    design = json.loads(whole.read(f"{live.slug}/design.json"))
    assert design["label_texts"]["scales"]["QUALITY"]["anchors"][4] == [1, "Péssima"]


def test_changed_words_are_a_draft_again(experiment: Experiment) -> None:
    own = portuguese(experiment)
    actor = experiment.owner
    approve_label_set(experiment=experiment, actor=actor, name=own.name)
    same = change_label_set(experiment=experiment, actor=actor, name=own.name, language="pt", scales=SCALES)
    assert same.status == "reviewed"
    other = {"QUALITY": SCALES["QUALITY"] | {"question": "Como era?"}}
    changed = change_label_set(experiment=experiment, actor=actor, name=own.name, language="pt", scales=other)
    assert changed.status == "draft"


def test_a_copy_of_the_experiment_has_its_own_words_and_nobody_elses_can_be_used() -> None:
    experiment = make_experiment(live=False)
    own = portuguese(experiment)
    copy = copy_experiment(experiment=experiment, actor=make_user())
    assert copy.label_set != own.name
    assert labels_of(copy).scales == labels_of(experiment).scales
    stranger = make_experiment(live=False)
    with pytest.raises(AppError, match="has no label set called"):
        edit_experiment(experiment=stranger, actor=stranger.owner, label_set=own.name)


UNFIT: list[dict[str, Any]] = [
    {},
    {"QUALITY": {"question": "?"}},
    {"QUALITY": SCALES["QUALITY"] | {"question": " "}},
    {"QUALITY": SCALES["QUALITY"] | {"anchors": [[5, "a"], [4, "b"]]}},
    {"QUALITY": SCALES["QUALITY"] | {"anchors": "words"}},
    {"QUALITY": SCALES["QUALITY"] | {"anchors": [[value, ""] for value in range(5, 0, -1)]}},
    SCALES | {"OTHER": SCALES["QUALITY"]},
]


def test_the_api_lists_copies_changes_and_approves_and_refuses_what_does_not_fit_the_scale(
    experiment: Experiment,
) -> None:
    client, base = browser_of(experiment.owner), f"/api/v1/experiments/{experiment.slug}/label-sets/"
    made = client.post(base, {"copy_of": "acr-en-1", "language": "pt"}, content_type="application/json")
    assert made.status_code == 201
    name = made.json()["id"]
    for scales in UNFIT:
        body = {"language": "pt", "scales": scales}
        refused = client.put(f"{base}{name}/", body, content_type="application/json")
        assert (refused.status_code, refused.json()["code"]) == (422, "label_set.unfit"), scales
    approved: dict[str, Any] = {"language": "pt", "scales": SCALES, "approved": True}
    assert client.put(f"{base}{name}/", approved, content_type="application/json").json()["status"] == "reviewed"
    assert [each["id"] for each in client.get(base).json()] == ["acr-en-1", "acr-fr-1", name]
    unknown = client.post(base, {"copy_of": "acr-xx-1"}, content_type="application/json")
    assert unknown.json()["code"] == "experiment.unknown_label_set"
