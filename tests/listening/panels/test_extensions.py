"""Extensions: previewed with the report, added as previewed, and nothing that was there changes."""

import io
import json
import re
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from analysis.reports.messages import fill_methods_text
from analysis.services.dataset.archive import export_dataset
from analysis.services.dataset.files import opened_dataset
from analysis.services.dataset.restoring import import_dataset
from analysis.services.results import read_result
from core.jobs import queue
from core.jobs.worker import work
from core.models import AuditEntry, Job
from listening.design.base import ANCHORING, DesignRequest
from listening.design.subsets.planning import plan_subsets
from listening.models import Extension, Panel, Seat
from listening.panels.services import designs, extensions, panels
from listening.panels.services.design_seats import sequences_of
from rating.models import Ballot, Experiment, Slot
from rating.services.experiments import check_design, close, design_digest, go_live, pause, unblind
from rating.services.verification import experiment_problems
from tests.errors import raises_error
from tests.factories import consent_to, make_experiment, make_panel_experiment

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_planned_here")]

WANTED = DesignRequest(panels=2, seats=3, size=4, factors=("session",), sessions=2, seed="7")
REASON = "eight listeners were not enough"


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    """Live, with items that no panel hears; a rehearsal has the number of the next seat."""
    experiment = make_panel_experiment(items=14)
    draft = designs.draft_design(experiment=experiment, wanted=WANTED)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    experiment = go_live(experiment=Experiment.objects.get(pk=experiment.pk), actor=experiment.owner)
    panels.rehearse(experiment=experiment, count=1, now=timezone.now(), actor=experiment.owner)
    return experiment


@pytest.fixture
def live(shared_experiment: Experiment, db: None) -> Experiment:
    return stored(shared_experiment)


def stored(experiment: Experiment) -> Experiment:
    return Experiment.objects.select_related("collection", "owner").get(pk=experiment.pk)


def plans() -> dict[Any, Any]:
    """Every ballot that counts with its hash and what is on its pages, under the media ids of its slots."""
    slots = Slot.objects.filter(trial__ballot__kind=Ballot.Kind.MAIN).order_by("trial__position", "key")
    rows = slots.values_list("trial__ballot", "trial__ballot__plan_sha256", "trial", "trial__ask", "stimulus", "media")
    found: dict[Any, list[Any]] = {}
    for ballot, *page in rows:
        found.setdefault(ballot, []).append(page)
    return found


def run(job: Job) -> Job:
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    work(claimed)
    job.refresh_from_db()
    return job


def extend(experiment: Experiment, *, reason: str = REASON, **more: int) -> Job:
    sizes = {"listeners": 0, "panels": 0, **more}
    draft = extensions.draft_extension(
        experiment=experiment, listeners=sizes["listeners"], panels=sizes["panels"], planner=plan_subsets
    )
    return run(
        extensions.ask_for_extension(
            experiment=experiment, reason=reason, sha256=draft.sha256, actor=experiment.owner, **sizes
        )
    )


def test_one_listener_more_for_each_panel_is_stored_as_previewed_and_changes_no_seat(live: Experiment) -> None:
    before, hashes = plans(), designs.stage_digests(designs.layout_of(live))
    draft = extensions.draft_extension(experiment=live, listeners=1)
    assert (Seat.objects.count(), plans()) == (7, before)  # six and the rehearsal: a preview writes nothing

    job = extend(live, listeners=1)

    assert (job.state, job.progress_done, job.progress_total) == ("done", 2, 2)
    after = plans()
    assert {ballot: after[ballot] for ballot in before} == before
    assert tuple(sequences_of(live)) == draft.layout.sequences
    extension = Extension.objects.get()
    assert (extension.listeners_before, extension.listeners, extension.panels) == (6, 8, 2)
    assert (extension.sha256, extension.reason) == (draft.sha256, REASON)
    assert extension.report == json.loads(json.dumps(draft.report))
    now = stored(live)
    check_design(now)
    assert now.layout_sha256 == extension.sha256
    assert now.design_sha256 == design_digest(now) != live.design_sha256
    assert list(experiment_problems(now)) == []
    # The first hash can still be computed from the first seats, and the new one covers it.
    found = designs.stage_digests(designs.layout_of(now))
    assert [found[0]] == hashes == [live.design.sha256]
    assert designs.verify_design(now).holds
    entry = AuditEntry.objects.get(action="experiment.extended")
    before_it, after_it = entry.before or {}, entry.after or {}
    assert (entry.reason, before_it["listeners"], after_it["listeners"]) == (REASON, 6, 8)
    assert before_it["layout_sha256"] == live.layout_sha256


def test_the_new_seats_keep_the_rules_of_the_design(live: Experiment) -> None:
    extend(live, listeners=2)
    layout = designs.layout_of(stored(live))
    assert {finding.verdict for finding in designs.verify_design(stored(live)).findings} == {"ok"}
    for panel in (1, 2):
        seats = [layout.sequence(panel, seat) for seat in range(1, 6)]
        heard = [[showing for showing in seat.showings if showing.session != ANCHORING] for seat in seats]
        for now in zip(*heard, strict=True):  # five seats, two conditions: two or three of each at every position
            assert sorted(Counter(showing.condition for showing in now).values()) == [2, 3]
        assert sorted(Counter(showings[0].scales for showings in heard).values()) == [2, 3]


def test_new_panels_hear_items_that_nobody_hears_yet_and_can_be_extended_in_turn(live: Experiment) -> None:
    extend(live, panels=1)
    extend(stored(live), listeners=1)
    layout = designs.layout_of(stored(live))
    assert [(one.panels, one.listeners) for one in Extension.objects.all()] == [(3, 9), (3, 12)]
    assert len({item for subset in layout.request.subsets for item in subset}) == 12
    assert designs.verify_design(stored(live)).holds
    assert Panel.objects.count() == 3
    with raises_error("extension.items", match="has 2"):
        extensions.draft_extension(experiment=stored(live), panels=1)


def test_a_changed_seat_is_noticed_in_the_first_part_and_in_the_addition(live: Experiment) -> None:
    extend(live, listeners=1)
    for number in (1, 4):
        seat = Seat.objects.get(panel__number=1, number=number)
        slots = Slot.objects.filter(trial__ballot=seat.ballot).order_by("trial__position")
        slot = slots[0]
        other = slots.exclude(stimulus=slot.stimulus)[0]
        Slot.objects.filter(pk=slot.pk).update(stimulus=other.stimulus)
        assert not designs.verify_design(stored(live)).is_unchanged
        Slot.objects.filter(pk=slot.pk).update(stimulus=slot.stimulus)
        assert designs.verify_design(stored(live)).is_unchanged


def test_a_rehearsal_gives_its_number_to_the_new_seat(live: Experiment) -> None:
    [rehearsal] = Seat.objects.filter(ballot__kind=Ballot.Kind.REHEARSAL)
    assert rehearsal.number == 4
    extend(live, listeners=2)
    rehearsal.refresh_from_db()
    assert rehearsal.number == 6
    assert Seat.objects.get(panel=rehearsal.panel, number=4).ballot.kind == Ballot.Kind.MAIN


def test_taken_seats_stay_taken_and_a_paused_experiment_can_be_extended(live: Experiment) -> None:
    visit = consent_to(Seat.objects.get(panel__number=1, number=1))
    pause(experiment=live, actor=live.owner)
    extend(stored(live), listeners=1)
    visit.seat.refresh_from_db()
    assert (visit.seat.state, visit.seat.number) == (Seat.State.TAKEN, 1)
    overview = panels.overview(experiment=live, now=timezone.now())
    assert [(row["total"], row["open"]) for row in overview] == [(4, 3), (4, 4)]


def test_what_cannot_be_added_is_refused_and_writes_nothing(live: Experiment) -> None:
    def ask(**changed: Any) -> Job:
        asked = {"listeners": 1, "panels": 0, "reason": REASON, "sha256": "0" * 64, **changed}
        return extensions.ask_for_extension(experiment=live, actor=live.owner, **asked)

    with raises_error("experiment.reason_missing"):
        ask(reason="  ")
    with raises_error("extension.nothing"):
        ask(listeners=0)
    with raises_error("extension.too_large", match="2000"):
        ask(listeners=1000)
    outdated = run(ask())
    assert (outdated.state, Extension.objects.count(), Seat.objects.count()) == ("failed", 0, 7)
    assert not Ballot.objects.filter(seat__isnull=True).exists()
    waiting = ask()
    with raises_error("experiment.busy", match="extend_design"):
        ask(listeners=2)
    waiting.delete()
    close(experiment=live, actor=live.owner)
    with raises_error("experiment.wrong_state"):
        ask()


def test_two_extensions_of_the_same_design_do_not_both_fit(live: Experiment) -> None:
    late = extensions.draft_extension(experiment=live, listeners=2)
    extend(live, listeners=1)
    with raises_error("design.changed_meanwhile"):
        extensions.adopt_extension(experiment=stored(live), draft=late, reason=REASON, actor=live.owner)
    assert not Ballot.objects.filter(kind=Ballot.Kind.MAIN, seat__isnull=True).exists()


def test_a_design_from_files_has_no_rule_to_go_on_by(live: Experiment) -> None:
    live.design.preset = "imported"
    live.design.save()
    with raises_error("extension.imported"):
        extensions.draft_extension(experiment=stored(live), listeners=1)


def test_a_draft_is_extended_without_a_reason_and_a_new_design_forgets_the_extension() -> None:
    experiment = make_panel_experiment()
    draft = designs.draft_design(experiment=experiment, wanted=WANTED)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    extend(stored(experiment), listeners=1, reason="")
    assert designs.verify_design(stored(experiment)).holds
    again = designs.draft_design(experiment=stored(experiment), wanted=replace(WANTED, seats=2))
    designs.adopt_draft(experiment=stored(experiment), draft=again, actor=experiment.owner)
    assert (Extension.objects.count(), designs.verify_design(stored(experiment)).holds) == (0, True)


# --- Panels that were not laid out together ---------------------------------------------------------------------------


def test_seats_are_added_to_a_panel_of_a_live_experiment_with_a_reason() -> None:
    experiment = make_experiment(seats=2)
    before = plans()
    with raises_error("experiment.reason_missing"):
        extensions.ask_for_seats(experiment=experiment, panel=1, seats=3, actor=experiment.owner)
    run(extensions.ask_for_seats(experiment=experiment, panel=1, seats=3, actor=experiment.owner, reason=REASON))
    assert Seat.objects.filter(panel__experiment=experiment).count() == 5
    assert {ballot: plans()[ballot] for ballot in before} == before
    run(extensions.ask_for_seats(experiment=experiment, seats=1, actor=experiment.owner, reason=REASON))
    kept = [(one.panels_before, one.panels, one.listeners_before, one.listeners) for one in Extension.objects.all()]
    assert kept == [(1, 1, 2, 5), (1, 2, 5, 6)]
    assert AuditEntry.objects.filter(action="experiment.extended", reason=REASON).count() == 2
    assert list(experiment_problems(stored(experiment))) == []
    with raises_error("panel.unknown"):
        extensions.ask_for_seats(experiment=experiment, panel=9, seats=1, actor=experiment.owner, reason=REASON)


def test_no_seat_is_added_by_itself_to_panels_that_were_laid_out_together(live: Experiment) -> None:
    with raises_error("seat.designed"):
        extensions.ask_for_seats(experiment=live, panel=1, seats=1, actor=live.owner, reason=REASON)


# --- The page and the API ---------------------------------------------------------------------------------------------


def test_the_page_previews_before_and_after_and_adds_what_it_showed(live: Experiment, client: Client) -> None:
    client.force_login(live.owner)
    address = f"/experiments/{live.slug}/extend/"
    assert address in client.get(f"/experiments/{live.slug}/people/").content.decode()
    assert address in client.get(f"/experiments/{live.slug}/design/").content.decode()
    page = client.get(address, {"listeners": 1, "panels": 0}).content.decode()
    assert "From 6 to 8 listeners" in page
    assert re.search(r'Votes per item, condition and scale</th><td class="num">3</td><td class="num">4</td>', page)
    sent = dict(re.findall(r'<input type="hidden" name="(listeners|panels|sha256)" value="(\w+)"', page))
    refused = client.post(address, sent | {"reason": ""})
    assert (refused.status_code, Job.objects.count()) == (400, 0)
    assert 'aria-invalid="true"' in refused.content.decode()
    assert client.post(address, sent | {"reason": REASON}).status_code == 302
    assert run(Job.objects.get()).state == "done"
    after = client.get(address).content.decode()
    assert "6 → 8" in after
    assert REASON in after
    assert "needs 4 more links" in client.get(f"/experiments/{live.slug}/people/").content.decode()
    shown = client.get(f"/experiments/{live.slug}/design/").content.decode()
    assert "2, each of 4 listeners" in shown
    assert live.design.sha256 in shown


def test_the_api_previews_adds_and_lists(live: Experiment, client: Client) -> None:
    client.force_login(live.owner)
    address = f"/api/v1/experiments/{live.slug}/extensions/"
    preview = client.get(f"{address}preview/", {"listeners": 1}).json()
    assert (preview["listeners_before"], preview["listeners"]) == (6, 8)
    [votes] = [finding for finding in preview["findings"] if finding["key"] == "votes_per_cell"]
    assert (votes["before"], votes["after"], votes["verdict"]) == ("3", "4", "ok")
    assert (client.get(address).json(), Job.objects.count()) == ([], 0)
    body = {"listeners": 1, "sha256": preview["sha256"]}
    assert client.post(address, body, "application/json").json()["code"] == "experiment.reason_missing"
    asked = client.post(address, body | {"reason": REASON}, "application/json")
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    run(Job.objects.get())
    [told] = client.get(address).json()
    assert (told["listeners"], told["reason"], told["sha256"]) == (8, REASON, preview["sha256"])


def test_the_dataset_and_the_methods_text_tell_of_the_extension(live: Experiment, client: Client) -> None:
    extend(live, listeners=1)
    client.force_login(live.owner)
    packed = client.get(f"/api/v1/experiments/{live.slug}/dataset.zip").getvalue()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        design = json.loads(archive.read(f"{live.slug}/design.json"))
    assert design["first_layout_sha256"] == live.design.sha256
    assert design["layout_sha256"] == design["extensions"][0]["sha256"] == stored(live).layout_sha256
    assert (design["extensions"][0]["listeners_before"], design["extensions"][0]["reason"]) == (6, REASON)
    files = list(designs.design_files(stored(live), ["csv"]))
    assert len(files) == 8
    result = read_result(experiment=live, slug="mos", simulated=False)
    told = fill_methods_text(stored(live), result, [], counts={})
    assert "The plan was extended from 6 to 8 listeners on" in told
    assert REASON in told


def test_an_extended_design_is_restored_from_its_dataset(live: Experiment, tmp_path: Path) -> None:
    extend(live, listeners=1)
    named = unblind(experiment=stored(live), actor=live.owner, reason="to import it again")
    place = tmp_path / "dataset.zip"
    place.write_bytes(b"".join(export_dataset(experiment=named, actor=named.owner, simulated=False)))
    with opened_dataset(place) as files:
        copy = import_dataset(files=files, owner=live.owner).experiment
    assert (copy.layout_sha256, copy.design_sha256) == (named.layout_sha256, named.design_sha256)
    assert [(one.number, one.reason, one.sha256) for one in copy.extensions.all()] == [
        (one.number, one.reason, one.sha256) for one in named.extensions.all()
    ]
    call_command("verify_design", copy.slug, stdout=io.StringIO())
