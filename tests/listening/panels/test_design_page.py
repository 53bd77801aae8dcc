"""The page Design: preview without writing, apply in the background, frozen when live, downloads."""

import csv
import io
import re
import subprocess
import sys
import zipfile
from copy import deepcopy
from html import unescape
from typing import Any

import pytest
from django.test import Client

from core.jobs import queue
from core.jobs.worker import work
from core.models import AuditEntry, Job
from listening.design.base import DesignRequest, Sample
from listening.design.subsets.in_subprocess import plan_subsets_in_subprocess
from listening.design.subsets.planning import plan_subsets
from listening.design.udase_csv import DesignRowsRejected
from listening.models import Design, Seat
from listening.panels.services import designs
from listening.panels.services.designs import layout_from_files
from rating.models import Experiment
from rating.services.experiments import condition_names, go_live, unblind
from rating.services.votes import cast_vote
from tests.contracts.tree import ROOT
from tests.errors import raises_error
from tests.factories import make_panel_experiment, make_user, marks, seated_visit, vote_event
from tests.scale import ALL

pytestmark = pytest.mark.django_db

ASKED = {"preset": "crossed", "panels": 2, "seats": 2, "size": 4, "factors": ["session"], "sessions": 2, "seed": "7"}


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_panel_experiment()


@pytest.fixture(scope="module")
def shared_laid_out(shared_experiment: Experiment) -> Experiment:
    """Another of the same collection, with a design."""
    made = make_panel_experiment(shared_experiment.owner, collection=shared_experiment.collection)
    draft = designs.draft_design(experiment=made, wanted=DesignRequest.from_json(ASKED))
    designs.adopt_draft(experiment=made, draft=draft, actor=made.owner)
    return Experiment.objects.select_related("collection", "owner").get(pk=made.pk)


@pytest.fixture
def experiment(client: Client, shared_experiment: Experiment, _planned_here: None) -> Experiment:
    client.force_login(shared_experiment.owner)
    return deepcopy(shared_experiment)


@pytest.fixture
def laid_out(client: Client, shared_laid_out: Experiment) -> Experiment:
    client.force_login(shared_laid_out.owner)
    return deepcopy(shared_laid_out)


def shown(client: Client, experiment: Experiment, **asked: Any) -> str:
    answer = client.get(f"/experiments/{experiment.slug}/design/", asked)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def fields(page: str) -> dict[str, list[str]]:
    """What the form behind "Apply this design" would send."""
    form = re.search(r'<form method="post" action="[^"]*/design/use/".*?</form>', page, re.DOTALL)
    assert form
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[0]):
        found.setdefault(name, []).append(value)
    return found


def run_only_job() -> Job:
    [job] = Job.objects.all()
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    work(claimed)
    job.refresh_from_db()
    return job


def test_the_form_proposes_what_fits_the_collection(client: Client, experiment: Experiment) -> None:
    page = shown(client, experiment)
    proposed = dict(re.findall(r'name="(panels|seats|size|sessions|seed)" value="(\w+)"', page))
    assert proposed == {"panels": "1", "seats": "8", "size": "8", "sessions": "4", "seed": "0"}
    assert re.findall(r'name="factors" value="(\w+)"[^>]*checked', page) == ["location", "session"]
    assert "8 items under 2 conditions and 2 references" in page


def test_trying_shows_every_finding_and_writes_nothing(client: Client, experiment: Experiment) -> None:
    page = shown(client, experiment, **ASKED)
    draft = designs.draft_design(experiment=experiment, wanted=DesignRequest.from_json(ASKED))
    for finding in draft.report["findings"]:
        assert f"<span>{finding['title']}</span>" in page
        assert finding["sentence"] in page
    assert draft.report["sentence"] in page
    assert re.search(r"<th scope=\"row\">session</th><td>S01</td>.*?2.00</td><td class=\"num\">2</td>", page)
    assert fields(page)["sha256"] == [draft.sha256]
    seats = Seat.objects.filter(panel__experiment=experiment)
    assert not Design.objects.filter(experiment=experiment).exists()
    assert (seats.count(), Job.objects.count()) == (0, 0)


def test_what_cannot_be_designed_is_said_beside_the_form(client: Client, experiment: Experiment) -> None:
    assert "The nearest size that is possible is 4" in shown(client, experiment, **{**ASKED, "size": 5})
    page = shown(client, experiment, **{**ASKED, "sessions": 0, "seats": 1000, "panels": 90})
    assert "greater than or equal to 1" in page
    assert "this page lays out 2000 at most" in page
    assert "Apply this design" not in page


def test_missing_cells_are_named_in_place_of_the_form(client: Client) -> None:
    experiment = make_panel_experiment(left_out=("s01", "C1"))
    client.force_login(experiment.owner)
    page = shown(client, experiment, **ASKED)
    assert "s01 x C1" in page
    assert 'name="preset"' not in page


def test_what_was_tried_is_used_and_then_shown_with_hash_and_seed(
    client: Client, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ALL:
        monkeypatch.undo()  # the solver plans in a process of its own, as it does below in any run
    sent = fields(shown(client, experiment, **ASKED))
    assert client.post(f"/experiments/{experiment.slug}/design/use/", sent).status_code == 302
    assert "The design is being applied" in shown(client, experiment)
    assert run_only_job().state == Job.State.DONE
    page = shown(client, experiment)
    assert "The design is being applied" not in page
    assert sent["sha256"][0] in page
    assert "Current design" in page
    assert Seat.objects.filter(panel__experiment=experiment).count() == 4
    go_live(experiment=Experiment.objects.get(pk=experiment.pk), actor=experiment.owner)
    page = shown(client, experiment)
    assert "The frozen design" in page
    assert 'name="preset"' not in page
    refused = client.post(f"/experiments/{experiment.slug}/design/use/", sent, follow=True)
    assert "this needs it to be draft" in refused.content.decode()


def test_a_design_that_no_longer_fits_is_rejected_with_a_sentence_on_the_page(
    client: Client, experiment: Experiment
) -> None:
    sent = fields(shown(client, experiment, **ASKED)) | {"sha256": "0" * 64}
    client.post(f"/experiments/{experiment.slug}/design/use/", sent)
    run_only_job()
    assert "The collection has changed since this preview" in shown(client, experiment)
    assert not Seat.objects.filter(panel__experiment=experiment).exists()


def test_a_form_with_nothing_in_it_is_rejected(client: Client, experiment: Experiment) -> None:
    refused = client.post(f"/experiments/{experiment.slug}/design/use/", {}, follow=True)
    assert "This field is required." in refused.content.decode()
    assert not Job.objects.exists()


def sequences(client: Client, experiment: Experiment, suffix: str) -> dict[str, str]:
    """The files of a download by name."""
    answer = client.get(f"/experiments/{experiment.slug}/design/{suffix}/")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_sequences_are_taken_away_as_one_zip(
    client: Client, experiment: Experiment, laid_out: Experiment, suffix: str
) -> None:
    assert client.get(f"/experiments/{experiment.slug}/design/{suffix}/").status_code == 409
    files = sequences(client, laid_out, suffix)
    assert list(files) == [f"subject_{number}.{suffix}" for number in range(1, 5)]
    assert f"data/{condition_names(laid_out)['ref']}/i00_f1.wav" in files[f"subject_4.{suffix}"]


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_sequences_name_no_condition_before_unblinding(client: Client, laid_out: Experiment, suffix: str) -> None:
    blind = sequences(client, laid_out, suffix)
    assert not [name for name, text in blind.items() if re.search(r"data/(C0|C1|ref)/", text)]
    unblind(experiment=laid_out, actor=laid_out.owner, reason="test")
    opened = sequences(client, laid_out, suffix)
    names = condition_names(Experiment.objects.get(pk=laid_out.pk)).keys()
    found = {part for text in opened.values() for part in re.findall(r"data/(\w+)/", text)}
    assert found == names == {"C0", "C1", "ref"}


def test_letters_of_sequences_are_those_of_the_votes(client: Client, laid_out: Experiment) -> None:
    go_live(experiment=laid_out, actor=laid_out.owner)
    seat = seated_visit(laid_out).seat
    for trial in seat.ballot.trials.order_by("position"):
        cast_vote(ballot_id=seat.ballot_id, event=vote_event(trial, payload=marks(3, scale=trial.ask[0])))
    answer = client.get(f"/api/v1/experiments/{laid_out.slug}/votes.csv")
    votes = sorted(csv.DictReader(io.StringIO(answer.getvalue().decode())), key=lambda row: int(row["position"]))
    planned = csv.DictReader(io.StringIO(sequences(client, laid_out, "csv")[f"subject_{seat.number}.csv"]))
    assert [(f"data/{row['condition']}/{row['item']}.wav", row["scale"]) for row in votes] == [
        (row["file"], row["scale"]) for row in planned
    ]


def test_every_download_of_a_design_is_logged(client: Client, laid_out: Experiment) -> None:
    sequences(client, laid_out, "csv")
    unblind(experiment=laid_out, actor=laid_out.owner, reason="test")
    sequences(client, laid_out, "json")
    logged = AuditEntry.objects.filter(action="experiment.exported").order_by("id")
    assert [(entry.actor, entry.target, entry.after) for entry in logged] == [
        (laid_out.owner, f"experiment/{laid_out.slug}", {"what": "design csv", "blind": True}),
        (laid_out.owner, f"experiment/{laid_out.slug}", {"what": "design json", "blind": False}),
    ]


def test_a_file_with_letters_is_no_design_to_import(client: Client, laid_out: Experiment) -> None:
    content = sequences(client, laid_out, "csv")["subject_1.csv"].encode()
    with pytest.raises(DesignRowsRejected, match="there is no condition"):
        layout_from_files(laid_out, [("subject_1.csv", content)])


def test_nobody_else_sees_or_uses_a_design(client: Client, laid_out: Experiment) -> None:
    client.force_login(make_user())
    for path in ("", "csv/", "json/"):
        assert client.get(f"/experiments/{laid_out.slug}/design/{path}").status_code == 404
    assert client.post(f"/experiments/{laid_out.slug}/design/use/", ASKED).status_code == 404


# --- The solver stays out of web processes ----------------------------------------------------------------------------

POOL = [Sample(f"s{n}", {"sex": "FM"[n % 2], "place": "abc"[n % 3]}) for n in range(20)]


def test_subsets_planned_apart_are_the_same_and_so_are_errors() -> None:
    asked: dict[str, Any] = {"factors": ["sex", "place"], "subsets": 3, "size": 5, "seed": "x"}
    apart, here = plan_subsets_in_subprocess(POOL, **asked), plan_subsets(POOL, **asked)
    assert (apart.subsets, apart.optimal, apart.gap) == (here.subsets, here.optimal, here.gap)
    with raises_error("subsets.too_large") as caught:
        plan_subsets_in_subprocess(POOL, **{**asked, "size": 50})
    with raises_error("subsets.too_large", match=re.escape(str(caught.value))):
        plan_subsets(POOL, **{**asked, "size": 50})


def test_planning_that_takes_too_long_is_given_up_with_a_sentence() -> None:
    with raises_error("design.too_long", match=r"Balancing 20 items took longer than 0\.001 s"):
        plan_subsets_in_subprocess(POOL, factors=["sex"], subsets=2, size=2, seed="0", longest_s=0.001)


def test_planning_apart_loads_no_solver_here() -> None:
    program = (
        "import sys\n"
        "from listening.design.subsets.in_subprocess import plan_subsets_in_subprocess\n"
        "from listening.design.base import Sample\n"
        "pool = [Sample(str(n), {'f': 'ab'[n % 2]}) for n in range(8)]\n"
        "print(plan_subsets_in_subprocess(pool, factors=['f'], subsets=2, size=2, seed='0').optimal)\n"
        "print('scipy' in sys.modules)\n"
    )
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "False"]
