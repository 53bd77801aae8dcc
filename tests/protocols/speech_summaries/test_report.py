"""The report of speech summaries: what a blind and an open reader see, the pictures, and the files."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from urllib.parse import urlencode

import pytest
from django.test import Client

from analysis.services.results import read_result
from listening.models import Seat
from listening.panels.services.exclusions import Target, exclude
from protocols.speech_summaries.analysis.evaluation import run
from protocols.speech_summaries.analysis.utterances import parse_utterances
from protocols.speech_summaries.protocol import MAKER
from protocols.speech_summaries.report import SummariesReport
from protocols.speech_summaries.report.figures import Shown, differences, draw_network
from rating.models import Experiment
from rating.services.experiments import unblind
from tests.analysis.p835_material import refresh
from tests.protocols.speech_summaries.material import VERSIONS, WORDS, answer_all, summaries_experiment

pytestmark = pytest.mark.django_db
SECRETS = [*VERSIONS, "secretsound", "secretspoken"]


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    made = summaries_experiment(items=3, makers=4, judges=2)
    answer_all(made)
    refresh()
    return made


@pytest.fixture
def opened(experiment: Experiment) -> Experiment:
    return unblind(experiment=experiment, actor=experiment.owner, reason="test")


def page(client: Client, experiment: Experiment, **choices: str) -> str:
    client.force_login(experiment.owner)
    response = client.get(f"/experiments/{experiment.slug}/results/?{urlencode(choices)}")
    assert response.status_code == 200
    return response.content.decode()


def download(client: Client, experiment: Experiment, name: str, **asked: str) -> str:
    client.force_login(experiment.owner)
    address = f"/api/v1/experiments/{experiment.slug}/results/speech_summaries/files/{name}"
    response = client.get(f"{address}?{urlencode(asked)}")
    assert response.status_code == 200, address
    return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


def test_a_blind_reader_gets_letters_and_no_words_of_versions(client: Client, experiment: Experiment) -> None:
    html = page(client, experiment)
    everything = [
        html,
        json.dumps(
            read_result(experiment=experiment, slug="speech_summaries", simulated=False, long=True), default=str
        ),
    ]
    everything += [download(client, experiment, name) for name in ("picks.csv", "evaluation.json", "network.svg")]
    for text in everything:
        assert not [secret for secret in SECRETS if secret in text]
        assert "harper" not in text  # a word that only one version has
    assert "their words would tell which is which" in html
    assert json.loads(everything[3])["utterances"][0]["candidates"] == {}


def test_an_open_reader_chooses_utterance_version_and_metric(client: Client, opened: Experiment) -> None:
    html = page(client, opened, utterance="utterance 2", version="secretasr", metric="bleu")
    assert "utterance 2: secretasr against the words that people kept" in html
    assert "“harper” (not in the transcript)" in html
    assert re.search(r'id="metric-bleu"[^>]*aria-current="true"', html)
    assert "<option selected>utterance 2</option>" in html
    assert "the words that people kept" in page(client, opened, version="-", utterance="no such")


@pytest.mark.parametrize("drawn", [True, False])
def test_one_control_of_the_network_is_named_png(
    client: Client, opened: Experiment, monkeypatch: pytest.MonkeyPatch, drawn: bool
) -> None:
    monkeypatch.setattr("analysis.views.can_draw", lambda: drawn)
    section = page(client, opened).split('id="network-picture"')[1].split("</nav>")[0]
    assert re.findall(r"<(a|button) [^>]*>PNG</", section) == (["a"] if drawn else ["button"])


def test_the_evaluation_is_what_the_command_reads_and_gives_the_same_figures(
    client: Client, opened: Experiment
) -> None:
    utterances = parse_utterances(download(client, opened, "evaluation.json").encode(), file="evaluation.json")
    means = run(utterances)["means"]
    rows = read_result(experiment=opened, slug="speech_summaries", simulated=False)["table"]["rows"]
    shown = {row["condition"]: row["mean"] for row in rows if row["metric"] == "w_sum_accy"}
    assert set(shown) == set(VERSIONS)
    assert shown == pytest.approx({system: mean["w_sum_accy"] for system, mean in means.items()})


def test_curves_are_pictures_and_tables(client: Client, opened: Experiment) -> None:
    html = page(client, opened, metric="w_sum_accy")
    assert html.count("figure--curves") == 1
    assert "Show as table: WSumACCY by the number of makers" in html
    table = html.partition('id="curves-table"')[2].partition("</table>")[0]
    assert all(name in table for name in VERSIONS)
    assert [int(count) for count in re.findall(r"<tr>\s*<td[^>]*>(\d+)</td>", table)] == [1, 2, 3, 4]


def test_the_dataset_has_every_network(experiment: Experiment) -> None:
    result = read_result(experiment=experiment, slug="speech_summaries", simulated=False, long=True)
    made = dict(SummariesReport().dataset(experiment, result, simulated=False))
    assert list(made) == [f"results/network-{number}.svg" for number in (1, 2, 3)]
    assert "utterance 3: the words that people kept" in "".join(map(str, made["results/network-3.svg"]))


def test_picks_are_one_row_a_maker_utterance_and_position(client: Client, experiment: Experiment) -> None:
    rows = list(csv.DictReader(io.StringIO(download(client, experiment, "picks.csv"))))
    assert len(rows) == 4 * 3 * len(WORDS)
    assert {row["picked"] for row in rows} == {"true", "false"}
    assert [row["word"] for row in rows[: len(WORDS)]] == WORDS


def test_files_are_made_of_the_answers_that_count(client: Client, experiment: Experiment) -> None:
    everybody = {row["subject"] for row in csv.DictReader(io.StringIO(download(client, experiment, "picks.csv")))}
    gone = Seat.objects.filter(panel__experiment=experiment, panel__group=MAKER).earliest("number")
    who = Target(panel=gone.panel.number, seat=gone.number)
    exclude(experiment=experiment, actor=experiment.owner, target=who, reason="asleep")
    refresh()
    rows = list(csv.DictReader(io.StringIO(download(client, experiment, "picks.csv"))))
    assert len(everybody - {row["subject"] for row in rows}) == 1
    assert len(rows) == 3 * 3 * len(WORDS)
    evaluated = json.loads(download(client, experiment, "evaluation.json"))["utterances"]
    assert {len(each["manual"]) for each in evaluated} == {3}


def test_the_page_says_that_there_is_nothing_before_anybody_answered(client: Client) -> None:
    html = page(client, summaries_experiment())
    assert "No answers yet." in html
    assert "Word network" not in html


def shown(**changes: object) -> Shown:
    parts: dict[str, object] = {
        "title": "a & b",
        "tokens": ["rain", "fell", "hard"],
        "makers": 4,
        "kept": {1: 4, 3: 1},
        "arcs": [("<s>", 1, 4), (1, 3, 1), (1, "</s>", 3), (3, "</s>", 1)],
    }
    return Shown(**(parts | changes))  # type: ignore[arg-type]


def test_arcs_are_as_wide_as_their_counts_and_the_target_stands_out() -> None:
    drawing = ET.fromstring(draw_network(shown(candidate=[1, 2], target=[1, 3])))  # noqa: S314 - our own
    paths = [part for part in drawing.iter() if part.tag.endswith("path")]
    widths = {path[0].text: float(path.attrib["stroke-width"]) for path in paths}
    assert widths["<s> → 1 rain: 4 makers"] > widths["1 rain → </s>: 3 makers"] > widths["1 rain → 3 hard: 1 maker"]
    bold = {path[0].text for path in paths if path.attrib["opacity"] == "1"}
    assert bold == {"<s> → 1 rain: 4 makers", "1 rain → 3 hard: 1 maker", "3 hard → </s>: 1 maker"}


def test_every_error_is_named_where_it_is() -> None:
    found = differences(shown(candidate=[1, "?mars", 2], target=[1, 3]))
    assert [(each.sign, each.sentence) for each in found] == [
        ("+", "“mars” (not in the transcript) added"),
        ("≠", "“fell” instead of “hard”"),
    ]
    (missing,) = differences(shown(candidate=[1], target=[1, 3]))
    assert (missing.sign, missing.row, missing.sentence) == ("−", 3, "“hard” missing")
    assert differences(shown()) == []
