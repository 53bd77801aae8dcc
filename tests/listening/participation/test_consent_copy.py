"""Copy of the consent as PDF: the text that was agreed to, in its language, and nothing of the test or of others."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from core import pdf
from core.models import User
from rating.models import Consent, Experiment
from rating.services import consent_copies
from rating.services.editing import amend_texts
from stimuli.models import Stimulus
from tests.factories import Sitting, make_experiment, sit_down
from tests.people import browser_of

pytestmark = pytest.mark.django_db

TEXT = """# Rights

You may *stop*. See [our page](https://example.org/rights).

![far](http://127.0.0.1:9/far.png) <img src="file:///etc/hostname"> <script>x</script>"""


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The HTML of every PDF that is asked for."""
    texts: list[str] = []

    def write(html: str) -> bytes:
        texts.append(html)
        return b"%PDF-"

    monkeypatch.setattr(consent_copies, "can_write_pdf", lambda: True)
    monkeypatch.setattr("rating.views.can_write_pdf", lambda: True)
    monkeypatch.setattr(consent_copies, "write_short_pdf", write)
    return texts


@pytest.fixture(scope="module")
def shared_sitting(module_db: None) -> Sitting:
    return sit_down(
        make_experiment(seats=2, language="fr", title="Entendre", consent_text=TEXT, contact="lab@example.org")
    )


def copy_of(sitting: Sitting) -> str:
    return f"/visits/{sitting.visit.pk}/consent.pdf"


def test_a_participant_keeps_the_text_that_was_agreed_to(sitting: Sitting, written: list[str]) -> None:
    experiment = sitting.ballot.experiment
    amend_texts(experiment=experiment, actor=experiment.owner, reason="clearer", consent_text="Another text.")
    address = copy_of(sitting)
    page = sitting.client.get(f"/visits/{sitting.visit.pk}/").content.decode()
    [menu] = re.findall(r'<details class="menu">.*?</details>', page, re.DOTALL)
    assert f'href="{address}"' in menu  # on every page, those without Pause too
    assert " UTC" not in page
    got = sitting.client.get(address)
    assert (got.status_code, got["Content-Type"], got.content) == (200, "application/pdf", b"%PDF-")
    assert 'filename="consent.pdf"' in got["Content-Disposition"]
    [html] = written
    agreed = Consent.objects.get(ballot=sitting.ballot).created_at
    for part in (
        '<html lang="fr">',
        "Entendre",
        "<em>stop</em>",
        'href="https://example.org/rights"',
        "lab@example.org",
    ):
        assert part in html, part
    assert f"{agreed:%H:%M} UTC" in html
    assert "Another text." not in html
    assert "<img" not in html
    assert "<script" not in html
    hidden = [name for names in Stimulus.objects.values_list("condition__name", "item__name") for name in names]
    assert hidden
    assert not [name for name in hidden if name in html]
    assert experiment.slug not in html


def test_others_do_not_get_it(sitting: Sitting, written: list[str]) -> None:
    assert Client().get(copy_of(sitting)).status_code == 401
    assert sit_down(sitting.ballot.experiment).client.get(copy_of(sitting)).status_code == 401
    assert written == []


def test_without_libpango_no_copy_is_offered_and_the_address_says_why(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "can_write_pdf", lambda: False)
    monkeypatch.setattr(consent_copies, "can_write_pdf", lambda: False)
    assert "consent.pdf" not in sitting.client.get(f"/visits/{sitting.visit.pk}/").content.decode()
    refused = sitting.client.get(copy_of(sitting))
    assert refused.status_code == 409
    assert "libpango" in refused.content.decode()


def test_the_experimenter_has_every_published_version(sitting: Sitting, written: list[str]) -> None:
    experiment = sitting.ballot.experiment
    owner: User = experiment.owner
    amend_texts(experiment=experiment, actor=owner, reason="clearer", consent_text="Another text.")
    client, address = browser_of(owner), f"/api/v1/experiments/{experiment.slug}/consent.pdf"
    assert f'href="{address}?version=1"' in client.get(f"/experiments/{experiment.slug}/settings/").content.decode()
    assert f'href="{address}"' in client.get(f"/experiments/{experiment.slug}/").content.decode()
    for query in ("", "?version=1", "?version=2"):
        assert client.get(address + query).content == b"%PDF-"
    present, first, second = written
    assert present == second
    assert "Another text." in second
    assert "<em>stop</em>" in first
    unknown = client.get(f"{address}?version=3")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "experiment.unknown_text_version")


def test_a_draft_has_a_copy_that_says_it_is_not_published(written: list[str]) -> None:
    experiment: Experiment = make_experiment(live=False)
    assert browser_of(experiment.owner).get(f"/api/v1/experiments/{experiment.slug}/consent.pdf").status_code == 200
    assert "Not published" in written[0]
    assert str(timezone.now().year) not in written[0]
