"""The page that analyses an uploaded table of votes and keeps nothing."""

import base64
import io
import json
import re
import zipfile
from itertools import product

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from core.models import User

HEADING = "listener,item,condition,scale,score"


def upload(rows: list[str], name: str = "my votes.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "\n".join([HEADING, *rows]).encode(), content_type="text/csv")


def votes() -> list[str]:
    cells = product("abcdefgh", "ijk", "AB")
    return [f"{who},{item},{condition},OVRL,{(n * n) % 3 + 2}" for n, (who, item, condition) in enumerate(cells)]


@pytest.fixture
def client(db: None) -> Client:
    signed_in = Client()
    signed_in.force_login(User.objects.create_user("ada", password="long enough to sign in"))
    return signed_in


def test_figures_are_on_the_page_and_in_the_zip(client: Client) -> None:
    shown = client.post("/analyse-table/", {"file": upload(votes()), "exclude": "a", "model": "full", "ci_method": "t"})
    assert shown.status_code == 200
    page = shown.content.decode()
    linked = re.search(r'download="my votes-analysis.zip" href="data:application/zip;base64,([^"]+)"', page)
    assert linked
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(linked[1]))) as archive:
        assert archive.namelist() == ["analysis.json", "means.csv", "contrasts.csv", "report.md"]
        found = json.loads(archive.read("analysis.json"))
    assert found["excluded"] == ["a"]
    row = found["scales"]["OVRL"]["conditions"]["A"]
    assert f'<td class="num">{row["mean"]:.2f}</td>' in page
    assert found["counts"]["votes"] == 42


def test_a_reference_and_a_margin_are_shown_and_a_wrong_one_is_explained_beside_its_field(client: Client) -> None:
    uneven = [f"{row[:-1]}{n * n % 17 % 4 + 1}" for n, row in enumerate(votes())]
    shown = client.post("/analyse-table/", {"file": upload(uneven), "reference": "B", "margin": "2"})
    page = shown.content.decode()
    assert "OVRL: differences to B" in page
    assert page.count("<td>yes</td>") == 2  # in all pairs, which is one, and among those to B
    wrong = client.post("/analyse-table/", {"file": upload(votes()), "reference": "C"})
    assert wrong.status_code == 422
    assert wrong.context["form"].errors.keys() == {"reference"}


def test_a_rejected_table_is_explained_at_the_file(client: Client) -> None:
    rows = [*votes(), "a,i,A,OVRL,9"]
    shown = client.post("/analyse-table/", {"file": upload(rows)}, headers={"accept-language": "fr"})
    assert shown.status_code == 422
    assert "ligne 50 : l’auditeur « a » a déjà voté" in shown.content.decode()
    assert "base64" not in shown.content.decode()


def test_an_empty_form_says_what_is_missing(client: Client) -> None:
    assert client.get("/analyse-table/").status_code == 200
    assert client.post("/analyse-table/", {}).status_code == 400
