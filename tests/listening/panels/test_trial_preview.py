"""Preview of a trial before there is an experiment: the protocol's pages over made-up sounds, and nothing stored."""

import io
import json
import re
import wave
from typing import Any

import pytest
from django.test import Client

from listening.panels.services.trial_preview import CONDITIONS, DURATION_S, ITEMS, is_previewable
from rating.models import Ballot, Experiment
from rating.registry import protocols
from tests.factories import make_user
from tests.people import browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    return browser_of(make_user())


def preview(browser: Client, **fields: Any) -> str:
    answer = browser.get("/new-experiment/trial/", fields)
    assert answer.status_code == 200
    return answer.content.decode()


def pages_in(html: str) -> list[dict[str, Any]]:
    found = re.search(r'<script id="pages" type="application/json">(.*?)</script>', html, re.DOTALL)
    return json.loads(found[1]) if found else []


@pytest.mark.parametrize("slug", sorted(protocols()))
def test_every_protocol_is_shown_or_says_that_it_needs_material(browser: Client, slug: str) -> None:
    html = preview(browser, protocol=slug, title="My test", language="en")
    assert bool(pages_in(html)) == is_previewable(protocols()[slug])
    assert ("needs your own material" in html) != bool(pages_in(html))
    assert "My test" in html


def test_clip_protocols_can_be_previewed() -> None:
    shown = {slug for slug, protocol in protocols().items() if is_previewable(protocol)}
    assert {"acr", "dcr", "p835", "abx"} <= shown


def test_options_labels_and_language_change_the_page(browser: Client) -> None:
    fields = {"protocol": "p835", "p835-plays_allowed": "3", "p835-layout": "horizontal", "p835-auto_confirm": "on"}
    (page, *_) = pages_in(preview(browser, **fields, language="en"))
    assert page["plays_allowed"] == 3
    assert page["options"] == {"fixation_cross": False, "layout": "horizontal", "auto_confirm": True}
    french = preview(browser, protocol="acr", label_set="acr/acr-fr-1", language="fr")
    assert pages_in(french)[0]["labels"]["QUALITY"]["anchors"][0]["label"] == "Excellente"
    assert '<html lang="fr">' in french


def test_what_is_wrong_in_the_form_counts_as_not_given(browser: Client) -> None:
    (page, *_) = pages_in(preview(browser, **{"protocol": "acr", "acr-plays_allowed": "often", "label_set": "none"}))
    assert page["plays_allowed"] == 1
    assert pages_in(preview(browser, protocol="unknown"))


def test_nothing_is_stored_and_no_name_is_told(browser: Client) -> None:
    for slug in protocols():
        pages = json.dumps(pages_in(preview(browser, protocol=slug)))
        assert not any(f'"{name}"' in pages for name in (*ITEMS, *CONDITIONS))
    assert not Experiment.objects.exists()
    assert not Ballot.objects.exists()


def test_the_sounds_are_clips_of_the_length_that_is_told(browser: Client) -> None:
    (page, *_) = pages_in(preview(browser, protocol="dcr"))
    assert len({media["url"] for media in page["media"].values()}) == 2
    for media in page["media"].values():
        with wave.open(io.BytesIO(browser.get(media["url"]).content)) as sound:
            assert sound.getnframes() / sound.getframerate() == media["duration_s"] == DURATION_S


def test_only_this_page_may_stand_in_a_frame_of_the_same_site(browser: Client) -> None:
    framed = browser.get("/new-experiment/trial/")
    assert framed["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in framed["Content-Security-Policy"]
    framing = browser.get("/new-experiment/")
    assert framing["X-Frame-Options"] == "DENY"
    assert "frame-src 'self'" in framing["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in framing["Content-Security-Policy"]
