"""The translations of the texts in TypeScript: which pages load them, and how they are served."""

import gzip
import re

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db

SCRIPT = re.compile(r'<script defer src="(/texts/[^"]+)">')


def address(client: Client) -> str:
    found = SCRIPT.search(client.get("/", headers={"accept-language": "fr"}).content.decode())
    assert found, "the French page loads its texts"
    return found[1]


def test_a_page_in_another_language_loads_its_texts_before_its_scripts(client: Client) -> None:
    french = client.get("/", headers={"accept-language": "fr"}).content.decode()
    assert french.index(address(client)) < french.index('type="module"')
    assert not SCRIPT.search(client.get("/", headers={"accept-language": "en"}).content.decode())


def test_the_texts_are_open_to_all_and_asked_for_once(client: Client) -> None:
    answer = client.get(address(client), headers={"accept-language": "en"})
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "Cookie" not in answer.headers["Vary"]
    assert r'"Saved": "Enregistr\u00e9"' in answer.content.decode()
    assert "Available %s" not in answer.content.decode(), "nor what Django's admin says"


def test_the_texts_travel_compressed(client: Client) -> None:
    answer = client.get(address(client), headers={"accept-encoding": "gzip"})
    assert len(answer.content) < 20_000
    assert gzip.decompress(answer.content) == client.get(address(client)).content


def test_a_page_of_another_release_gets_the_texts_of_this_one_and_does_not_keep_them(client: Client) -> None:
    answer = client.get("/texts/fr-0123456789ab.js")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-cache")
    assert answer.content == client.get(address(client)).content


@pytest.mark.parametrize("language", ["it", "fr-fr", "x"])
def test_a_language_that_is_not_offered_is_not_found(client: Client, language: str) -> None:
    assert client.get(f"/texts/{language}-1.js").status_code == 404
