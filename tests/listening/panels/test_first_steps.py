"""Buttons on the overview: seats by a usual design or without one, and a first link."""

from copy import deepcopy

import pytest
from django.test import Client

from listening.models import Design, Invitation, Panel
from rating.models import Experiment
from rating.services.experiments import go_live
from tests.factories import make_experiment, make_panel_experiment
from tests.people import browser_of
from tests.stimuli.import_material import run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_planned_here")]


@pytest.fixture(scope="module")
def shared_draft(module_db: None) -> Experiment:
    return make_panel_experiment()


@pytest.fixture
def draft(shared_draft: Experiment) -> Experiment:
    return deepcopy(shared_draft)


@pytest.fixture
def browser(draft: Experiment) -> Client:
    return browser_of(draft.owner)


def overview(browser: Client, experiment: Experiment) -> str:
    return browser.get(f"/experiments/{experiment.slug}/").content.decode()


def test_a_balanced_design_for_so_many_listeners_is_one_press_away(browser: Client, draft: Experiment) -> None:
    assert "Lay out a balanced design" in overview(browser, draft)
    browser.post(f"/experiments/{draft.slug}/seats/first/", {"listeners": 6, "design": "usual"})
    assert "The design is being applied." in overview(browser, draft)
    run("listening.apply_design")
    design = Design.objects.get(experiment=draft)
    assert len(design.subsets) * design.settings["seats"] >= 6
    page = overview(browser, draft)
    assert "Lay out a balanced design" not in page
    assert f'href="/experiments/{draft.slug}/live/"' in page.split('id="next-steps"')[1]


def test_seats_can_do_without_a_design(browser: Client, draft: Experiment) -> None:
    browser.post(f"/experiments/{draft.slug}/seats/first/", {"listeners": 3})
    run("listening.fill_panel")
    assert Panel.objects.get(experiment=draft).seats.count() == 3
    assert not Design.objects.exists()


def test_what_keeps_seats_from_being_laid_out_is_told_on_the_overview() -> None:
    empty = make_panel_experiment()
    empty.collection.items.all().delete()
    browser = browser_of(empty.owner)
    address = f"/experiments/{empty.slug}/seats/first/"
    page = browser.post(address, {"listeners": 3, "design": "usual"}, follow=True)
    assert "holds nothing to rate" in page.content.decode()


def test_a_number_that_cannot_be_is_told_on_the_overview(browser: Client, draft: Experiment) -> None:
    page = browser.post(f"/experiments/{draft.slug}/seats/first/", {"listeners": 501}, follow=True)
    assert page.redirect_chain[-1][0] == f"/experiments/{draft.slug}/"
    assert "less than or equal to 500" in page.content.decode()
    assert not Panel.objects.exists()


def test_a_live_experiment_offers_a_link_for_many_and_shows_it_once() -> None:
    experiment = make_experiment(seats=2, live=False)
    browser = browser_of(experiment.owner)
    Invitation.objects.all().delete()
    go_live(experiment=experiment, actor=experiment.owner)
    assert "Create a link" in overview(browser, experiment)
    page = browser.post(f"/experiments/{experiment.slug}/links/", follow=True).content.decode()
    assert "/join/" in page
    assert Invitation.objects.get().many
    assert "/join/" not in overview(browser, experiment)


def test_a_draft_without_seats_has_no_link(browser: Client, draft: Experiment) -> None:
    page = browser.post(f"/experiments/{draft.slug}/links/")
    assert page.status_code == 409
    assert "The experiment has no seats yet" in page.content.decode()
    assert not Invitation.objects.exists()
