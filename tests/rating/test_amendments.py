"""Amendments of texts after an experiment went live: who reads which version, and where the change is told."""

import csv
import io
import zipfile
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client

from analysis.reports.messages import fill_methods_text
from core.hashing import digest
from core.models import AuditEntry
from listening.participation.services.verification import verify
from rating.models import Consent, Experiment
from rating.services.editing import amend_texts, edit_experiment
from rating.services.experiments import close, design_digest, pause, return_to_draft
from rating.services.texts import amendments, published_texts
from stimuli.services.collections import add_stimulus
from tests.errors import raises_error
from tests.factories import Sitting, make_experiment, new_token, sit_down, tone

pytestmark = pytest.mark.django_db

OLD, NEW = "I agree to **lissen**.", "I agree to **listen**."


@pytest.fixture(scope="module")
def shared_live(module_db: None) -> Experiment:
    return make_experiment(seats=3, title="A tset", consent_text=OLD, instructions="Old *way*.", debrief="Old thanks.")


@pytest.fixture
def live(shared_live: Experiment) -> Experiment:
    return deepcopy(shared_live)


def amend(experiment: Experiment, **texts: str) -> Experiment:
    return amend_texts(experiment=experiment, actor=experiment.owner, reason="A typo.", **texts)


def page(sitting: Sitting, part: str = "") -> str:
    return sitting.client.get(f"/visits/{sitting.visit.pk}/{part}", follow=True).content.decode()


def filled(experiment: Experiment, **changes: str) -> dict[str, str]:
    names = ("title", "consent_text", "instructions", "debrief", "contact")
    return {name: getattr(experiment, name) for name in names} | {"reason": "A typo."} | changes


def test_new_seats_read_the_amended_texts_and_old_ones_keep_theirs(live: Experiment) -> None:
    before = sit_down(live)
    amend(live, title="A test", consent_text=NEW, instructions="New *way*.", debrief="New thanks.", contact="me")
    token = new_token(live)
    landing = Client().get(f"/join/{token}/").content.decode()
    assert "<strong>listen</strong>" in landing
    assert "A test" in landing
    after = sit_down(live)
    for sitting, title, way in [(before, "A tset", "Old"), (after, "A test", "New")]:
        assert f"{way} <em>way</em>" in page(sitting)
        assert f"<title>{title}" in page(sitting)
        assert f"<h1>{title}</h1>" in sitting.client.get(sitting.link).content.decode()
        sitting.answer_all()
        sitting.client.post(f"{sitting.api}finish/")
        receipt = page(sitting, "receipt/")
        assert f"{way} thanks" in receipt
        assert "Questions: me" in receipt
    assert [consent.text_sha256 for consent in Consent.objects.order_by("created_at")] == [digest(OLD), digest(NEW)]
    assert [version.consent_text for version in published_texts(live)] == [OLD, NEW]


def test_who_read_the_old_text_does_not_agree_to_the_new_one_unseen(live: Experiment) -> None:
    token, browser = new_token(live), Client()
    browser.get(f"/join/{token}/")
    read = {"agree": "yes", "text": digest(OLD)}
    amend(live, consent_text=NEW)
    answer = browser.post(f"/join/{token}/", read)
    assert answer.status_code == 409
    assert "has changed since you opened the page" in answer.content.decode()
    assert "<strong>listen</strong>" in answer.content.decode()
    assert not Consent.objects.exists()
    assert browser.post(f"/join/{token}/", read | {"text": digest(NEW)}).status_code == 302
    assert Consent.objects.get().text_sha256 == digest(NEW)


def test_the_page_amends_with_a_reason_and_lists_the_versions(client: Client, live: Experiment) -> None:
    sit_down(live)
    client.force_login(live.owner)
    address = f"/experiments/{live.slug}/settings/"
    assert "Amend" in client.get(address).content.decode()
    missing = client.post(address, filled(live, consent_text=NEW, reason="")).content.decode()
    assert "This field is required" in missing.split('for="id_reason"')[1]
    assert NEW in missing
    assert client.post(address, filled(live, consent_text=NEW))["Location"] == address
    versions = client.get(address).content.decode().split('id="versions"')[1]
    assert versions.index("Version 2") < versions.index("Version 1")
    assert "1 consent<" in versions
    assert "<strong>lissen</strong>" in versions


def test_an_amendment_is_in_the_log_and_the_votes_still_verify(live: Experiment) -> None:
    sit_down(live).answer_all()
    amended = amend(live, consent_text=NEW)
    assert amended.design_sha256 == design_digest(amended) != live.design_sha256
    entry = AuditEntry.objects.get(action="experiment.amended")
    before, after = entry.before or {}, entry.after or {}
    assert (entry.reason, before["consent_text"], after["consent_text"]) == ("A typo.", OLD, NEW)
    assert verify().problems == []
    Consent.objects.update(text_sha256="0" * 64)
    assert any("another text" in problem for problem in verify().problems)


def test_the_contact_and_the_title_leave_the_hash_of_the_design_alone(live: Experiment) -> None:
    assert amend(live, contact="lab@example.org", title="A test").design_sha256 == live.design_sha256
    assert verify().problems == []


def test_an_amendment_needs_a_reason_a_change_and_a_text(live: Experiment) -> None:
    with raises_error("experiment.reason_missing"):
        amend_texts(experiment=live, actor=live.owner, reason=" ", consent_text=NEW)
    with raises_error("experiment.text_missing"):
        amend(live, consent_text=" ")
    amend(live, consent_text=OLD)
    assert len(published_texts(live)) == 1


def test_a_closed_experiment_keeps_what_shaped_answers(live: Experiment) -> None:
    close(experiment=live, actor=live.owner)
    with raises_error("experiment.wrong_state"):
        amend(live, instructions="Other")
    assert amend(live, title="A test").title == "A test"


def test_a_paused_experiment_can_be_amended_and_a_draft_is_edited(live: Experiment) -> None:
    pause(experiment=live, actor=live.owner)
    assert amend(live, consent_text=NEW).consent_text == NEW
    draft = return_to_draft(experiment=live, actor=live.owner)
    with raises_error("experiment.wrong_state"):
        amend(draft, consent_text=OLD)
    assert edit_experiment(experiment=draft, actor=draft.owner, consent_text=OLD).consent_text == OLD


def test_a_new_hash_never_covers_a_collection_that_changed(live: Experiment) -> None:
    add_stimulus(collection=live.collection, item="late", condition="late", content=tone(900))
    with raises_error("experiment.design_changed"):
        amend(live, consent_text=NEW)
    assert amend(live, contact="me").contact == "me"


def test_the_methods_text_tells_when_why_and_after_how_many(live: Experiment) -> None:
    sit_down(live)
    sit_down(live)
    amend_texts(experiment=live, actor=live.owner, reason="A {typo}.", consent_text=NEW, contact="me")
    live.refresh_from_db()
    (told,) = amendments(live)
    assert (told.changed, told.consents_before) == (("consent_text", "contact"), 2)
    result: Any = {"table": {}, "simulated": False, "method": "mos", "version": "1"}
    text = fill_methods_text(live, result, [], counts={})
    assert "The consent text was amended on" in text
    assert text.endswith("after 2 listeners had consented: A {typo}.")


def test_the_dataset_holds_every_version_and_who_agreed_to_which(client: Client, live: Experiment) -> None:
    sit_down(live)
    amend(live, consent_text=NEW, title="=A test")
    sit_down(live)
    client.force_login(live.owner)
    answer = client.get(f"/api/v1/experiments/{live.slug}/dataset.zip")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer))) as archive:
        tables = {
            part: list(csv.DictReader(io.StringIO(archive.read(name).decode())))
            for part in ("texts", "participants")
            for name in archive.namelist()
            if f"description-{part}_data.csv" in name
        }
    first, second = tables["texts"]
    assert (first["consent_text"], second["consent_text"]) == (OLD, NEW)
    assert (second["reason"], second["changed"], second["title"]) == ("A typo.", "title consent_text", "'=A test")
    assert [first["consents"], second["consents"]] == ["1", "1"]
    assert sorted(row["text_version"] for row in tables["participants"]) == ["", "1", "2"]


def test_empty_instructions_leave_those_of_the_protocol() -> None:
    assert "Rate how good it sounded" in page(sit_down(make_experiment(seats=1)))
    assert "Rate how good it sounded" not in page(sit_down(make_experiment(seats=1, instructions="Mine.")))


def test_own_instructions_are_part_of_the_frozen_hash(live: Experiment) -> None:
    live.instructions = "Other."
    assert design_digest(live) != live.design_sha256


def test_a_preview_is_made_while_typing_and_without_scripts_by_a_button(client: Client) -> None:
    draft = make_experiment(live=False)
    client.force_login(draft.owner)
    told = client.post("/text-preview/", {"text": "**So** <b>"}, content_type="application/json")
    assert told.content.decode().strip() == "<p><strong>So</strong> &lt;b&gt;</p>"
    for address in ("/new-experiment/", f"/experiments/{draft.slug}/settings/"):
        answer = client.post(address, {"instructions": "*Listen*", "preview": "1"})
        shown = answer.content.decode().split('data-preview-of="id_instructions"')[1]
        assert shown.startswith("><p><em>Listen</em></p>")
    assert Experiment.objects.get(pk=draft.pk).instructions == ""
