"""The page that analyses an uploaded table of votes and keeps nothing."""

import base64
import html
import io
import json
import re
import zipfile
from itertools import product
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from analysis.reports.tables import TABLE_FORMATS
from core.models import User

HEADING = "listener,item,condition,scale,score"


def upload(rows: list[str], name: str = "my votes.csv", heading: str = HEADING) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, "\n".join([heading, *rows]).encode(), content_type="text/csv")


def votes() -> list[str]:
    cells = product("abcdefgh", "ijk", "AB")
    return [f"{who},{item},{condition},OVRL,{n * 7919 % 13 % 4 + 1}" for n, (who, item, condition) in enumerate(cells)]


@pytest.fixture
def client(db: None) -> Client:
    signed_in = Client()
    signed_in.force_login(User.objects.create_user("ada", password="long enough to sign in"))
    return signed_in


def test_figures_are_on_the_page_and_in_the_zip(client: Client) -> None:
    shown = client.post("/analyse-table/", {"file": upload(votes()), "exclude": "a", "model": "full", "ci_method": "t"})
    assert shown.status_code == 200
    page = shown.content.decode()
    files = files_in(page)
    assert list(files)[:4] == ["analysis.json", "means.csv", "contrasts.csv", "report.md"]
    assert {"figures/means.svg", *(f"tables/conditions.{each}" for each in TABLE_FORMATS)} <= set(files)
    found = json.loads(files["analysis.json"])
    assert found["excluded"] == ["a"]
    row = found["scales"]["OVRL"]["conditions"]["A"]
    assert f'<td class="num nowrap">{row["mean"]:.2f}</td>' in page
    assert found["counts"]["votes"] == 42
    tests = found["scales"]["OVRL"]["tests"]
    assert f"{tests['friedman']['chi2']:.2f} (1)".replace("-", "−") in page, "Friedman's test"
    assert "figure figure--mos" in page
    assert '<td class="nowrap">h</td>' in page, "bias and inconsistency of every listener"
    assert "Two-way bootstrap" not in page.split("<form", 1)[0]


def files_in(page: str) -> dict[str, bytes]:
    linked = re.search(r'download="my votes-analysis.zip" href="data:application/zip;base64,([^"]+)"', page)
    assert linked
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(linked[1]))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.usefixtures("unconfined")
def test_every_option_of_the_command_is_taken(client: Client) -> None:
    rows = [f"{row},{'early' if n // 2 % 2 else 'late'}" for n, row in enumerate(votes())]
    metrics = SimpleUploadedFile("pesq.csv", b"file,pesq\nA/i,1\nA/j,2\nA/k,3\nB/i,2\nB/j,3\nB/k,4\n")
    asked = {
        "file": upload(rows, heading=f"{HEADING},part"),
        "ci_method": "bootstrap",
        "seed": "7",
        "factors": "part",
        "ranges": "OVRL=0:10",
        "reference": "B",
        "margin": "0.5",
        "metrics": metrics,
        "exclude": "a, b",
    }
    shown = client.post("/analyse-table/", asked)
    assert shown.status_code == 200, shown.context["form"].errors
    page = html.unescape(shown.content.decode())
    found = json.loads(files_in(page)["analysis.json"])
    assert found["options"] | {"seed": 7, "ci_method": "bootstrap", "model_factors": ["part"]} == found["options"]
    assert found["scales"]["OVRL"]["range"] == {"low": 0.0, "high": 10.0, "source": "given"}
    low, high = found["scales"]["OVRL"]["conditions"]["A"]["ci95"]["two_way"]
    assert f"{low:.2f} – {high:.2f}" in page
    compared = shown.context["shown"]["differences"]
    assert [(row["condition"], row["against"]) for row in compared.rows] == [("A", "B")]
    assert "Equivalent" in [column.title for column in compared.columns]
    assert [part["title"] for part in shown.context["shown"]["metrics"]] == ["OVRL, Per file", "OVRL, Per condition"]
    assert (
        "analyse_votes 'my votes.csv' --out results --ordinal --exclude a --exclude b --factor part --range OVRL=0:10 "
        "--ci-method bootstrap --seed 7 --reference B --margin 0.5 --metrics pesq.csv" in page
    )


@pytest.mark.usefixtures("unconfined")
@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("ranges", "5:1", "'5:1' is no range"),
        ("ranges", "SIG=1:5", "no scale called 'SIG'"),
        ("factors", "room", "'room' is no factor"),
        ("reference", "C", "no condition called 'C'"),
        ("exclude", "zoe", "no listener called 'zoe'"),
        ("margin", "-1", "greater than or equal to"),
        ("metrics", SimpleUploadedFile("m.csv", b"nothing\n1\n"), "m.csv"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(client: Client, field: str, value: Any, said: str) -> None:
    shown = client.post("/analyse-table/", {"file": upload(votes()), field: value})
    assert shown.status_code in (400, 422)
    assert said in str(shown.context["form"].errors[field].data[0].messages[0])
    if isinstance(value, str):
        assert f'value="{value}"' in shown.content.decode(), "what was typed is kept"


def test_a_rejected_table_is_explained_at_the_file(client: Client) -> None:
    rows = [*votes(), "a,i,A,OVRL,9"]
    shown = client.post("/analyse-table/", {"file": upload(rows)}, headers={"accept-language": "fr"})
    assert shown.status_code == 422
    assert "ligne 50 : l’auditeur « a » a déjà voté" in shown.content.decode()
    assert "base64" not in shown.content.decode()


def test_an_empty_form_says_what_is_missing(client: Client) -> None:
    assert client.get("/analyse-table/").status_code == 200
    assert client.post("/analyse-table/", {}).status_code == 400
