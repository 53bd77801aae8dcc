"""Objective metrics of an experiment: upload, matching of names, figures once it is unblinded, files and API."""

import csv
import io
import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from scipy import stats

from analysis.models import MetricTable
from analysis.services.results import read_result
from core.models import AuditEntry
from rating.models import Experiment
from rating.services.access import share
from rating.services.experiments import unblind
from stimuli.models import Import
from tests.analysis.p835_material import CONDITIONS, SECRETS, listen, p835_experiment, refresh
from tests.factories import make_experiment, make_user
from tests.people import bearing, browser_of, token_of
from tests.scale import ALL

pytestmark = pytest.mark.django_db
ITEMS = 4


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    made = p835_experiment(seats=3, items=ITEMS)
    for shift in range(3):
        listen(made, shift=shift)
    refresh()
    return made


def values() -> dict[tuple[str, str], tuple[float, float]]:
    """Of each condition and item a metric on the scale, and one in other units that falls where the first rises."""
    return {
        (condition, f"sentence {n}"): (1.5 + 0.8 * place + 0.3 * ((n * 3 + place) % 4), 40.0 - 9 * place - n * n)
        for place, condition in enumerate(CONDITIONS)
        for n in range(ITEMS)
    }


def sheet(form: str = "{condition}/{item}", *, heading: str = "file,PESQ,delay in ms") -> str:
    lines = [
        f"{form.format(condition=condition, item=item)},{first},{second}"
        for (condition, item), (first, second) in values().items()
    ]
    return "\n".join([heading, *lines, ""])


def upload(experiment: Experiment, text: str, *, client: Client | None = None) -> Any:
    file = SimpleUploadedFile("metrics.csv", text.encode(), content_type="text/csv")
    return (client or browser_of(experiment.owner)).post(f"/experiments/{experiment.slug}/metrics/", {"file": file})


def kept(experiment: Experiment, text: str) -> str:
    """Upload a table, and return the page that follows."""
    client = browser_of(experiment.owner)
    answer = upload(experiment, text, client=client)
    assert answer.status_code == 302, answer.content.decode()
    return page(experiment, client=client)


def page(experiment: Experiment, query: str = "", *, client: Client | None = None) -> str:
    answer = (client or browser_of(experiment.owner)).get(f"/experiments/{experiment.slug}/metrics/{query}")
    assert answer.status_code == 200
    return " ".join(unescape(answer.content.decode()).split())


def opened(experiment: Experiment) -> Experiment:
    return unblind(experiment=experiment, actor=experiment.owner, reason="test")


def api(experiment: Experiment) -> tuple[Client, str]:
    return bearing(token_of(experiment.owner, "read", "write")), f"/api/v1/experiments/{experiment.slug}/metrics/"


def votes(experiment: Experiment, part: str, scale: str = "SIG") -> list[dict[str, Any]]:
    table = read_result(experiment=experiment, slug="mos", simulated=False, long=True)["table"]
    return [row for row in table[part] if row["scale"] == scale]


def test_a_table_is_kept_before_unblinding_and_tells_nothing_of_the_votes(experiment: Experiment) -> None:
    """A made-up metric that is 1 for one condition and 0 for the others would tell its mean from a correlation."""
    html = kept(experiment, sheet())
    assert "any figure of metrics would tell which is which" in html
    assert "before unblinding" in html
    assert "12" in re.findall(r"<dt>Clips with values</dt><dd>(\d+)</dd>", html)
    assert not [secret for secret in SECRETS if secret in html]
    assert "<svg class" not in html
    assert "Correlations" not in html
    client, address = api(experiment)
    told = client.get(address).json()
    assert (told["blind"], told["figures"]) == (True, [])
    for name in ("metrics.svg", "table-metric-correlations.csv"):
        refused = client.get(f"{address}files/{name}")
        assert (refused.status_code, refused.json()["code"]) == (409, "metrics.blind")


def test_figures_per_file_are_those_of_the_votes_and_values(experiment: Experiment) -> None:
    kept(experiment, sheet("/data/run 7/{condition}/{item}.wav"))
    experiment = opened(experiment)
    client, address = api(experiment)
    parts = {(part["scale"], part["level"]): part for part in client.get(address).json()["figures"]}
    assert len(parts) == 6
    rows = votes(experiment, "items")
    metric = [values()[row["condition"], row["item"]] for row in rows]
    mean, half = [row["mos"] for row in rows], [(row["ci_high"] - row["ci_low"]) / 2 for row in rows]
    found = {row["metric"]: row for row in parts["SIG", "file"]["correlations"]}
    assert list(found) == ["PESQ", "delay in ms"]
    for place, row in enumerate(found.values()):
        expected = stats.pearsonr([each[place] for each in metric], mean)
        assert (row["n"], row["pearson"]) == (12, pytest.approx(expected.statistic))
        interval = expected.confidence_interval()
        assert (row["pearson_low"], row["pearson_high"]) == pytest.approx((interval.low, interval.high))
        assert row["spearman"] == pytest.approx(stats.spearmanr([each[place] for each in metric], mean).statistic)
    [plain] = [row for row in parts["SIG", "file"]["prediction_errors"] if row["mapping"] == "none"]
    beyond = [max(0, abs(vote - each[0]) - width) for vote, each, width in zip(mean, metric, half, strict=True)]
    assert plain["metric"] == "PESQ"  # the other one is not on the scale
    assert plain["rmse_star"] == pytest.approx((sum(each**2 for each in beyond) / 11) ** 0.5)
    assert plain["outliers"] == pytest.approx(sum(each > 0 for each in beyond) / 12)
    kinds = [row["mapping"] for row in parts["SIG", "file"]["prediction_errors"] if row["metric"] == "delay in ms"]
    assert kinds == ["linear", "monotone"]
    [pair] = parts["SIG", "file"]["pairs"]
    assert pair["r"] == pytest.approx(max(abs(row["pearson"]) for row in found.values()))
    assert pair["p"] == pair["p_holm"]


@pytest.mark.usefixtures("unconfined")
def test_a_condition_has_the_mean_of_its_clips_and_is_left_out_where_one_lacks_a_value(experiment: Experiment) -> None:
    lines = sheet().splitlines()
    without = [line.rpartition(",")[0] + "," if line.startswith("secretnoisy/sentence 2,") else line for line in lines]
    kept(experiment, "\n".join(without))
    experiment = opened(experiment)
    client, address = api(experiment)
    [part] = [
        each for each in client.get(address).json()["figures"] if (each["scale"], each["level"]) == ("SIG", "condition")
    ]
    mean = {row["condition"]: row["mos"] for row in votes(experiment, "rows")}
    own = {name: sum(values()[name, f"sentence {n}"][0] for n in range(ITEMS)) / ITEMS for name in CONDITIONS}
    found = {row["metric"]: row for row in part["correlations"]}
    expected = stats.pearsonr([own[name] for name in CONDITIONS], [mean[name] for name in CONDITIONS]).statistic
    assert (found["PESQ"]["n"], found["PESQ"]["pearson"]) == (3, pytest.approx(expected))
    assert found["PESQ"]["pearson_low"] is None  # three points have no interval
    assert (found["delay in ms"]["n"], found["delay in ms"]["problem"]) == (2, "few")
    assert part["left_out"] == [{"condition": "secretnoisy", "metric": "delay in ms", "n": 3, "of": 4}]
    html = page(experiment, "?scale=SIG&level=condition")
    assert "delay in ms: only 2 points have votes and a value. At least 3 are needed." in html
    assert "not every rated clip has a value: secretnoisy (3/4)." in html
    assert "delay in ms: 1 of 12 points have votes and no value, and are left out." in page(experiment, "?level=file")


@pytest.mark.usefixtures("unconfined")
def test_the_page_shows_tables_and_figure_and_their_files_have_the_same_figures(experiment: Experiment) -> None:
    kept(experiment, sheet())
    experiment = opened(experiment)
    html = page(experiment, "?scale=BAK&level=file&metric=PESQ")
    assert 'class="figure figure--metrics"' in html
    assert "Mean votes (BAK) over PESQ, with 95 % CI" in html
    client = browser_of(experiment.owner)
    links = re.findall(r'href="(/api/v1/[^"]+/metrics/files/[^"]+)" download', html)
    names = {link.partition("/files/")[2].partition("?")[0] for link in links}
    tables = ("correlations", "errors", "pairs")
    assert names >= {f"table-metric-{name}.{end}" for name in tables for end in ("csv", "tex", "md", "xlsx")}
    assert "metrics.svg" in names
    wanted = links if ALL else one_of_each(links)
    for link in wanted:
        assert client.get(link).status_code == 200, link
    [address] = [link for link in links if "table-metric-errors.csv" in link]
    written = b"".join(client.get(address)).decode()
    rows = list(csv.DictReader(io.StringIO(written)))
    token, told = api(experiment)
    [part] = [each for each in token.get(told).json()["figures"] if (each["scale"], each["level"]) == ("BAK", "file")]
    assert [float(row["rmse_star"]) for row in rows] == [row["rmse_star"] for row in part["prediction_errors"]]
    assert token.get(f"{told}files/nothing.csv").json()["code"] == "result.unknown_file"
    assert AuditEntry.objects.filter(action="experiment.exported").count() >= len(wanted)


def one_of_each(links: list[str]) -> list[str]:
    """Of every figure and table one file, and of two in a row not the same form."""
    by_name: dict[str, list[str]] = {}
    for link in links:
        by_name.setdefault(link.partition("?")[0].rpartition("/")[2].partition(".")[0], []).append(link)
    return [same[place % len(same)] for place, same in enumerate(by_name.values())]


@pytest.mark.usefixtures("unconfined")
def test_a_table_by_condition_is_compared_per_condition_alone(experiment: Experiment) -> None:
    html = kept(experiment, "condition,metric,value\nsecretnoisy,STOI,0.4\nsecretother,STOI,0.9\nunheard,STOI,0.1\n")
    assert "1 name is no condition of this experiment" in html
    assert "<li>unheard</li>" in html
    experiment = opened(experiment)
    client, address = api(experiment)
    told = client.get(address).json()
    assert told["unmatched"] == ["unheard"]
    assert {part["level"] for part in told["figures"]} == {"condition"}
    assert "STOI: only 2 points have votes and a value." in page(experiment)


@pytest.mark.usefixtures("unconfined")
def test_files_are_found_by_the_path_they_were_imported_from(experiment: Experiment) -> None:
    """A name with a folder that fits no clip is listed, even where its last part alone would fit one."""
    cells = [
        {"item": "sentence 0", "condition": "secretnoisy", "path": "set/N_0.wav"},
        {"item": "sentence 1", "condition": "secretnoisy", "path": "set/N_1.wav"},
    ]
    collection = experiment.collection
    Import.objects.create(
        collection=collection,
        owner=experiment.owner,
        state="done",
        plan={"stimuli": cells},
        expires_at="2030-01-01T00Z",
    )
    kept(
        experiment,
        "file,PESQ\nn_0.wav,1\n/tmp/set/N_1.flac,2\nsentence 3,3\nelsewhere/N_0.wav,4\nSECRETOTHER\\sentence 2,5\n",
    )
    client, address = api(experiment)
    assert client.get(address).json()["unmatched"] == ["sentence 3", "elsewhere/N_0.wav"]
    experiment = opened(experiment)
    [part, *_rest] = client.get(address).json()["figures"]
    found = {(each["condition"], each["item"]): each["values"] for each in part["points"] if each["values"]}
    assert found == {
        ("secretnoisy", "sentence 0"): {"PESQ": 1.0},
        ("secretnoisy", "sentence 1"): {"PESQ": 2.0},
        ("secretother", "sentence 2"): {"PESQ": 5.0},
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("file,PESQ\nsecretnoisy/sentence 0,x\n", "line 2: 'x' under 'PESQ' is no number"),
        ("file,PESQ\nnoisy/1.wav,1\n", "No name in 'metrics.csv' is known here; the first is 'noisy/1.wav' in line 2."),
        (
            "file,PESQ\nsecretnoisy/sentence 0,1\nsecretnoisy/sentence 0.wav,2\n",
            "line 3: 'secretnoisy/sentence 0.wav' is the same clip as 'secretnoisy/sentence 0' in line 2",
        ),
    ],
)
def test_a_bad_table_is_refused_beside_the_field_and_the_one_before_stays(
    experiment: Experiment, text: str, said: str
) -> None:
    kept(experiment, sheet())
    answer = upload(experiment, text)
    html = unescape(answer.content.decode())
    assert answer.status_code == 422
    assert said in html.partition('class="errorlist"')[2].partition("</ul>")[0]
    assert re.search(r'name="file"[^>]*aria-invalid="true"', html)
    assert MetricTable.objects.get(experiment=experiment).metrics == ["PESQ", "delay in ms"]


@pytest.mark.usefixtures("unconfined")
def test_another_upload_takes_its_place_and_a_removal_leaves_nothing(experiment: Experiment) -> None:
    first = kept(experiment, sheet())
    assert "It takes the place of metrics.csv, which is then gone." in first
    experiment = opened(experiment)
    client, address = api(experiment)
    body = {"name": "second.csv", "table": "condition,STOI\nsecretnoisy,0.4\n"}
    assert client.put(address, body, "application/json").json()["table"]["file_name"] == "second.csv"
    table = MetricTable.objects.get(experiment=experiment)
    assert (table.metrics, table.after_unblinding, table.uploaded_by) == (["STOI"], True, experiment.owner)
    entry = AuditEntry.objects.filter(action="metrics.uploaded").order_by("at").last()
    assert entry is not None
    assert entry.before is not None
    assert entry.after is not None
    assert (entry.before["file"], entry.after["file"]) == ("metrics.csv", "second.csv")
    assert client.delete(address).status_code == 204
    assert client.get(address).json()["table"] is None
    assert AuditEntry.objects.filter(action="metrics.removed").count() == 1
    assert client.get(f"{address}files/metrics.svg").json()["code"] == "metrics.no_figures"
    wrong = client.put(address, {"table": "file,PESQ\nx,y\n"}, "application/json")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "metrics.rows_rejected")


def test_a_viewer_sees_the_page_and_changes_nothing(experiment: Experiment) -> None:
    kept(experiment, sheet())
    viewer = make_user(name="vera")
    share(experiment=experiment, actor=experiment.owner, colleague_name="vera", role="viewer")
    html = page(experiment, client=browser_of(viewer))
    assert "PESQ, delay in ms" in html
    assert 'type="file"' not in html
    assert upload(experiment, sheet(), client=browser_of(viewer)).status_code == 403
    gone = browser_of(viewer).post(f"/experiments/{experiment.slug}/metrics/remove/")
    assert gone.status_code == 403
    assert MetricTable.objects.filter(experiment=experiment).exists()


def test_protocols_without_ratings_do_not_offer_it() -> None:
    plane = make_experiment(protocol="abx")
    client = browser_of(plane.owner)
    assert "Objective metrics" not in client.get(f"/experiments/{plane.slug}/results/").content.decode()
    assert client.get(f"/experiments/{plane.slug}/metrics/").status_code == 409
    rated = make_experiment(plane.owner)
    assert "Objective metrics" in client.get(f"/experiments/{rated.slug}/results/").content.decode()
